import TestSupport

@testable import SharedAuth

/// The rows of the table of moves that concern several apps, or several places of one.
extension MoveTests {
    private static let both = [look(GroupChoice(slot: .elsewhere)), look(GroupChoice(slot: .elsewhere))]

    private static let returning = GroupChoice(slot: group, pending: .migration(of: x, from: group, to: .own))

    /// The choice of an app that has noted the move.
    private static let meant = GroupChoice(
        slot: .elsewhere,
        pending: .migration(of: x, from: .elsewhere, to: group)
    )

    private static func two(_ policy: MigrationPolicy = .fail) -> Move {
        app(["a", "b"], .outside, from: .elsewhere, policy)
    }

    static let severalApps = [
        Row(
            "two apps of a group move with one copy, and the last deletes",
            two(),
            [
                (.looked(both), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy(namesOriginals: true))), "read back"),
                (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, choose 1.0 deleting moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, store nobody"),
                (.left(slot()), "end 0 of 0.0 moved, settle names of 0, end 1 of 1.0 moved"),
            ],
            end: "chosen, chosen; deleted"
        ),
        Row(
            "an app that uses a third slot does not keep the source",
            two(),
            [
                (.looked([look(GroupChoice(slot: .own)), both[1]]), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"), (.locked(slot("x")), "look"),
                (.looked([look(GroupChoice(slot: .own))]), "choose 1.0 deleting moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, store nobody"),
                (.left(slot()), "extend, end 1 of 1.0 moved"),
            ],
            end: "elsewhere, chosen; deleted"
        ),
        Row(
            "an app that comes back from a third slot keeps the source",
            two(),
            [
                (.looked([look(GroupChoice(slot: .own)), both[1]]), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"), (.locked(slot("x")), "look"),
                (.looked([both[0]]), "choose 1.0 moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, unlock"),
                (.left(slot("x")), "extend, end 0 of 1.0 moved"),
            ],
            end: "conflict, chosen"
        ),
        Row(
            "another app notes the deletion if the last one has chosen the target already",
            two(),
            [
                (.looked(both), "note"), (.noted(nil), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, choose 1.0 deleting moving"),
                (.chose(.success(.alreadyThere)), "tell, choose 0.0 deleting again"),
                (.chose(.success(.changed(before: GroupChoice(slot: group)))), "store nobody"),
                (.left(slot()), "end 1 of 0.0 moved, end 1 of 1.0"),
            ],
            end: "chosen, chosen; deleted"
        ),
        Row(
            "what stays in a store that may forget is told if no app can note it",
            app(["a", "b"], .outside, from: .elsewhere, isDurable: false),
            [
                (.looked(both), "note"), (.noted(nil), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 moving"),
                (
                    .chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))),
                    "tell, choose 1.0 leaving moving"
                ),
                (.chose(.success(.elsewhere(.own))), "tell, choose 0.0 leaving again"),
                (.chose(.failure(mild)), "unlock"), (.left(slot("x")), "end 0 of 0.0 moved, extend, look"),
                (.looked([look(GroupChoice(slot: .own))]), ""),
            ],
            end: "chosen, elsewhere; left behind"
        ),
        Row(
            "a copy in a store that may forget says nothing of an original that an app still uses",
            app(["a", "b"], .outside, from: .elsewhere, isDurable: false),
            [
                (.looked(both), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy(namesOriginals: true))), "read back"),
                (.readBack(isThere), "lock"), (.locked(slot("x")), "choose 0.0 moving"),
                (
                    .chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))),
                    "tell, choose 1.0 leaving moving"
                ),
                (.chose(.failure(mild)), "tell, unlock"), (.left(slot("x")), "end 0 of 0.0 moved, extend, look"),
                (.looked([look(meant)]), ""),
            ],
            end: "chosen, pending outcomeUnknown"
        ),
        Row(
            "an app that chooses a third slot after the copy does not keep the source",
            two(),
            [
                (.looked(both), "note"), (.noted(nil), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 moving"),
                (.chose(.success(.elsewhere(.own))), "tell, choose 1.0 deleting moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, store nobody"),
                (.left(slot()), "extend, look"),
                (.looked([look(GroupChoice(slot: .own))]), "end 1 of 1.0 moved"),
            ],
            end: "elsewhere, chosen; deleted"
        ),
        Row(
            "the copy is taken back once all apps have chosen a third slot",
            two(),
            [
                (.looked(both), "note"), (.noted(nil), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 moving"),
                (.chose(.success(.elsewhere(.own))), "tell, choose 1.0 deleting moving"),
                (.chose(.success(.elsewhere(.own))), "tell, unlock"),
                (.left(slot("x")), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice(slot: .own))]), "extend, look"),
                (.looked([look(GroupChoice(slot: .own))]), ""),
            ],
            end: "elsewhere, elsewhere"
        ),
        Row(
            "an app with a third slot in one place only keeps the source",
            two(),
            [
                (.looked([look(GroupChoice(slot: .elsewhere), GroupChoice(slot: .own)), both[1]]), "note"),
                (.noted(nil), "copy"),
                (.copied(.success(copy())), "read back"), (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 1.0 moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, unlock"),
                (.left(slot("x")), "extend, end 0 of 1.0 moved"),
            ],
            end: "conflict, chosen"
        ),
        Row(
            "an app that cannot be looked at keeps the source",
            two(),
            [
                (.looked([.failure(mild), both[1]]), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"), (.locked(slot("x")), "choose 1.0 moving"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, unlock"),
                (.left(slot("x")), "extend, end 0 of 1.0 moved"),
            ],
            end: "keychainError, chosen"
        ),
        Row(
            "another user in the group keeps all apps out of it",
            two(),
            [
                (.looked(both), "note"), (.noted(nil), "copy"), (.copied(.failure(occupied)), "extend, look"),
                (.looked([look(meant)]), "end 1 of 0.0, extend, look"), (.looked([look(meant)]), "end 1 of 1.0"),
            ],
            end: "accessGroupOccupied, accessGroupOccupied"
        ),
        Row(
            "a copy in a group that cannot be read back is taken back for all apps",
            two(),
            [
                (.looked(both), "note"), (.noted(nil), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(.failure(mild)), "extend, take back"), (.tookBack(true), "look"),
                (.looked([both[0]]), "extend, look"), (.looked([both[1]]), ""),
            ],
            end: "keychainError, keychainError"
        ),
        Row(
            "two apps join another user, and their own stays",
            two(.join),
            [
                (.looked(both), "note"), (.noted(nil), "copy"), (.copied(.failure(occupied)), "lock"),
                (.locked(slot("x")), "choose 0.0"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, choose 1.0"),
                (.chose(.success(.changed(before: GroupChoice(slot: .elsewhere)))), "tell, unlock"),
                (.left(slot("x")), "end 0 of 0.0 moved, end 0 of 1.0 moved"),
            ],
            end: "joined, joined"
        ),
        Row(
            "an app chooses in all of its places or in none",
            app(["a"], .outside),
            [
                (.looked([look(GroupChoice(), GroupChoice())]), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy())), "read back"), (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 moving"),
                (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "choose 0.1 deleting moving"),
                (.chose(.success(.elsewhere(.elsewhere))), "put 1 back"), (.putBack(nil), "tell, unlock"),
                (.left(slot("x")), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice(pending: noted), GroupChoice(slot: .elsewhere))]), "end 1 of 0.0"),
            ],
            end: "conflict"
        ),
        Row(
            "a move back that has begun is cancelled in all places",
            app(["a"], .outside),
            [
                (.looked([look(returning, returning)]), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"), (.locked(slot("x")), "choose 0.0 moving again"),
                (.chose(.success(.changed(before: returning))), "choose 0.1 deleting moving again"),
                (.chose(.success(.changed(before: returning))), "tell, store nobody"),
                (.left(slot()), "end 0 of 0.0 moved, end 1 of 0.1 moved"),
            ],
            end: "chosen; deleted"
        ),
        Row(
            "a choice that cannot be put back keeps the copy",
            app(["a"], .outside),
            [
                (.looked([look(GroupChoice(), GroupChoice())]), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy())), "read back"), (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 moving"),
                (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "choose 0.1 deleting moving"),
                (.chose(.failure(mild)), "put 1 back"), (.putBack(mild), "tell, unlock"),
                (.left(slot("x")), "extend, look"),
                (.looked([look(GroupChoice(slot: group), GroupChoice(pending: noted))]), ""),
            ],
            end: "pending outcomeUnknown"
        ),
        Row(
            "only the deletion of an earlier run is left",
            app(["a"], .outside),
            [
                (
                    .looked([
                        look(
                            GroupChoice(
                                slot: group,
                                pending: .deletion(of: .own, revision: Revision(counter: 1, nonce: 1))
                            )
                        )
                    ]),
                    "lock"
                ),
                (.locked(slot("x")), "tell, store nobody"), (.left(slot()), "end 1 of 0.0 moved"),
            ],
            end: "chosen; deleted"
        ),
    ]
}
