import TestSupport

@testable import SharedAuth

/// The rows of the table of moves: events, and the effects of each.
extension MoveTests {
    private static let begun: Steps = [(.looked([look(GroupChoice())]), "note"), (.noted(nil), "copy")]
    private static let written: Steps = begun + [(.copied(.success(copy())), "read back")]
    private static let copied: Steps = written + [(.readBack(isThere), "lock")]
    private static let moving: Steps = [
        (.locked(slot("x")), "choose 0.0 deleting moving"),
        (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "tell, store nobody"),
    ]
    private static let chosen: Steps = copied + moving

    static let migrations = [
        Row(
            "a move",
            app(),
            after: chosen,
            [(.left(slot()), "end 1 of 0.0 moved")],
            end: "chosen; deleted"
        ),
        Row(
            "the users are there as in the source, and others stay in the source",
            app(),
            after: copied,
            [
                (.locked(slot("x", "y")), "choose 0.0 deleting moving"),
                (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "tell, store y"),
                (.left(slot("y")), "end 1 of 0.0 moved"),
            ],
            end: "chosen; deleted"
        ),
        Row(
            "a store that may forget keeps the original",
            app(isDurable: false),
            after: copied,
            [
                (.locked(slot("x")), "choose 0.0 leaving moving"),
                (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "tell, unlock"),
                (.left(slot("x")), "end 0 of 0.0 moved"),
            ],
            end: "chosen"
        ),
        Row(
            "a copy that names its original notes once the app has left it",
            app(isDurable: false),
            after: begun,
            [
                (.copied(.success(copy(namesOriginals: true))), "read back"), (.readBack(isThere), "lock"),
                (.locked(slot("x")), "choose 0.0 leaving moving"),
                (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "tell, unlock"),
                (.left(slot("x")), "end 0 of 0.0 moved, settle names of 0"), (.settledNames(slot("x"), app: 0), ""),
            ],
            end: "chosen"
        ),
        Row(
            "the source is refreshed after the copy",
            app(),
            after: copied,
            [
                (.locked(slot("x", at: 2)), "unlock"), (.left(slot("x", at: 2)), "look"),
                (.looked([look(GroupChoice(pending: noted))]), "copy"),
                (.copied(.success(copy(at: 2))), "read back"), (.readBack(isThere), "lock"),
                (.locked(slot("x", at: 2)), "choose 0.0 deleting moving"),
                (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "tell, store nobody"),
                (.left(slot()), "end 1 of 0.0 moved"),
            ],
            end: "chosen; deleted"
        ),
        Row(
            "the copy is overwritten once",
            app(),
            after: written,
            [
                (.readBack(.success(slot("z", at: 8).revision)), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"),
            ],
            end: "there"
        ),
        Row(
            "a resumed move notes nothing",
            app(["a"], .resumed(.patient)),
            [
                (.looked([look(GroupChoice(pending: noted))]), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"),
            ],
            end: "there"
        ),
    ]

    static let failures = [
        Row(
            "a note that cannot be written",
            app(),
            [
                (.looked([look(GroupChoice())]), "note"), (.noted(mild), "extend, look"),
                (.looked([look(GroupChoice())]), ""),
            ],
            end: "keychainError"
        ),
        Row(
            "another user at the target",
            app(),
            after: begun,
            [
                (.copied(.failure(occupied)), "extend, look"),
                (.looked([look(GroupChoice(pending: noted))]), "end 1 of 0.0"),
            ],
            end: "accessGroupOccupied"
        ),
        Row(
            "a resumed move that finds no copy leaves everything to the next start",
            app(["a"], .resumed(.patient)),
            [(.looked([look(GroupChoice(pending: noted))]), "copy"), (.copied(.failure(mild)), "")],
            end: "keychainError"
        ),
        Row(
            "a copy whose outcome is unknown is settled by the next start",
            app(),
            after: begun,
            [
                (.copied(.failure(unknown)), "extend, look"), (.looked([look(GroupChoice(pending: noted))]), ""),
            ],
            end: "pending outcomeUnknown"
        ),
        Row(
            "a copy that cannot be read back",
            app(),
            after: written,
            [
                (.readBack(.failure(mild)), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice(pending: noted))]), "end 1 of 0.0"),
            ],
            end: "keychainError"
        ),
        Row(
            "a copy that cannot be taken back is settled by the next start",
            app(),
            after: chosen,
            [
                (.leaveFailed(mild), "extend, look at deletion"), (.lookedAtDeletion(.notDone), "go 1 back"),
                (.putBack(nil), "extend, take back"), (.tookBack(false), "look"),
                (.looked([look(GroupChoice(pending: noted))]), ""),
            ],
            end: "pending outcomeUnknown"
        ),
        Row(
            "a sign-out at the source after the copy",
            app(),
            after: copied,
            [
                (.locked(slot()), "unlock"), (.left(slot()), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice(pending: noted))]), "end 1 of 0.0"),
            ],
            end: "conflict"
        ),
        Row(
            "the app's own start has dropped the move",
            app(),
            after: copied,
            [
                (.locked(slot("x")), "choose 0.0 deleting moving"), (.chose(.success(.cancelled)), "tell, unlock"),
                (.left(slot("x")), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice())]), ""),
            ],
            end: "conflict"
        ),
        Row(
            "another process has finished the move",
            app(),
            after: copied,
            [
                (.locked(slot()), "unlock"), (.left(slot()), "extend, take back"), (.tookBack(false), "look"),
                (.looked([look(GroupChoice(slot: group))]), ""),
            ],
            end: "chosen"
        ),
        Row(
            "another process has finished the move in a store that may forget",
            app(isDurable: false),
            after: copied,
            [
                (.locked(slot("x")), "choose 0.0 leaving moving"), (.chose(.success(.cancelled)), "tell, unlock"),
                (.left(slot("x")), "extend, take back"), (.tookBack(false), "look"),
                (.looked([look(GroupChoice(slot: group))]), ""),
            ],
            end: "chosen"
        ),
        Row(
            "a copy that is gone has not moved an app whose choice is the target",
            app(),
            after: copied,
            [
                (.leaveFailed(mild), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice(slot: group))]), ""),
            ],
            end: "keychainError"
        ),
        Row(
            "an app whose choice was the target before has not moved",
            app(),
            [
                (.looked([look(GroupChoice(slot: group))]), "note"), (.noted(nil), "copy"),
                (.copied(.success(copy())), "read back"), (.readBack(isThere), "lock"),
                (.leaveFailed(mild), "extend, take back"), (.tookBack(false), "look"),
                (.looked([look(GroupChoice(slot: group))]), ""),
            ],
            end: "keychainError"
        ),
        Row(
            "a source that cannot be locked",
            app(),
            after: copied,
            [
                (.leaveFailed(mild), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice(pending: noted))]), "end 1 of 0.0"),
            ],
            end: "keychainError"
        ),
        Row(
            "a deletion that failed is taken back whole",
            app(),
            after: chosen,
            [
                (.leaveFailed(mild), "extend, look at deletion"), (.lookedAtDeletion(.notDone), "go 1 back"),
                (.putBack(nil), "extend, take back"), (.tookBack(true), "look"),
                (.looked([look(GroupChoice(pending: noted))]), "end 1 of 0.0"),
            ],
            end: "keychainError"
        ),
        Row(
            "a deletion that is done but reports an error",
            app(),
            after: chosen,
            [
                (.leaveFailed(mild), "extend, look at deletion"), (.lookedAtDeletion(.done), "end 1 of 0.0 moved"),
            ],
            end: "chosen; deleted"
        ),
        Row(
            "a deletion whose outcome is unknown is left to the next start",
            app(),
            after: chosen,
            [
                (.leaveFailed(unknown), "extend, look at deletion"),
                (.lookedAtDeletion(.unknown), "end 0 of 0.0 moved"),
            ],
            end: "chosen; left behind"
        ),
        Row(
            "a resumed move whose deletion fails leaves it to the next start",
            app(["a"], .resumed(.patient)),
            [
                (.looked([look(GroupChoice(pending: noted))]), "copy"), (.copied(.success(copy())), "read back"),
                (.readBack(isThere), "lock"), (.locked(slot("x")), "choose 0.0 deleting moving"),
                (.chose(.success(.changed(before: GroupChoice(pending: noted)))), "tell, store nobody"),
                (.leaveFailed(mild), "extend, look at deletion"),
                (.lookedAtDeletion(.notDone), "end 0 of 0.0 moved"),
            ],
            end: "chosen; left behind"
        ),
        Row(
            "a choice that cannot be put back stays",
            app(),
            after: chosen,
            [
                (.leaveFailed(mild), "extend, look at deletion"), (.lookedAtDeletion(.notDone), "go 1 back"),
                (.putBack(mild), "end 0 of 0.0 moved"),
            ],
            end: "chosen; left behind"
        ),
    ]
}
