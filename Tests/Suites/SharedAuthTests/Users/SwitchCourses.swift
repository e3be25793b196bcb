@testable import SharedAuth

/// The rows of the table of moves for switches by hand.
extension MoveTests {
    static let switches = [
        Row(
            "joining a group deletes the user in the app's own slot",
            joining,
            [
                (.locked(slot("x")), "choose 0.0 deleting"),
                (.chose(.success(.changed(before: GroupChoice()))), "tell, store nobody"), (.left(slot()), ""),
            ],
            end: "chosen; deleted"
        ),
        Row(
            "another user found in the app's own slot stays",
            joining,
            [
                (.locked(slot("z")), "choose 0.0 deleting"),
                (.chose(.success(.changed(before: GroupChoice()))), "tell, unlock"), (.left(slot("z")), ""),
            ],
            end: "chosen"
        ),
        Row(
            "a switch that deletes nothing",
            leaving,
            [
                (.locked(nil), "choose 0.0"),
                (.chose(.success(.changed(before: GroupChoice(slot: group)))), "tell, unlock"), (.left(slot()), ""),
            ],
            end: "chosen"
        ),
        Row(
            "another process has chosen another slot",
            joining,
            [
                (.locked(slot("x")), "choose 0.0 deleting"), (.chose(.success(.elsewhere(.elsewhere))), "tell, unlock"),
                (.left(slot("x")), ""),
            ],
            end: "chosen; overtaken"
        ),
        Row(
            "another process has chosen another slot, and the bus is lost",
            joining,
            [
                (.locked(slot("x")), "choose 0.0 deleting"), (.chose(.success(.elsewhere(.elsewhere))), "tell, unlock"),
                (.leaveFailed(mild), ""),
            ],
            end: "chosen; overtaken"
        ),
        Row(
            "another process has already chosen the target",
            joining,
            [
                (.locked(slot("x")), "choose 0.0 deleting"), (.chose(.success(.alreadyThere)), "tell, unlock"),
                (.left(slot("x")), ""),
            ],
            end: "chosen; overtaken"
        ),
        Row(
            "a choice that cannot be stored deletes nothing",
            joining,
            [
                (.locked(slot("x")), "choose 0.0 deleting"), (.chose(.failure(mild)), "tell, unlock"),
                (.left(slot("x")), ""),
            ],
            end: "keychainError"
        ),
        Row(
            "a record of the app's own slot that cannot be read stays",
            joining,
            [
                (.leaveFailed(damaged), "hold"), (.locked(nil), "choose 0.0 deleting"),
                (.chose(.success(.changed(before: GroupChoice()))), "tell, unlock"), (.left(slot()), ""),
            ],
            end: "chosen; left behind"
        ),
        Row("a target that is refused", leaving, [(.leaveFailed(damaged), "")], end: "recordDamaged"),
        Row(
            "a deletion that failed puts the choice back",
            joining,
            [
                (.locked(slot("x")), "choose 0.0 deleting"),
                (.chose(.success(.changed(before: GroupChoice()))), "tell, store nobody"),
                (.leaveFailed(mild), "extend, look at deletion"), (.lookedAtDeletion(.notDone), "go 1 back"),
                (.putBack(nil), ""),
            ],
            end: "keychainError"
        ),
    ]
}
