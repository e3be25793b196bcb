internal import SecretService

/// One operation on an `Auth`'s state, from `Auth.begin()` to `end()`.
struct Operation {
    private let turn: NamedTurn
    /// When the operation must have ended.
    let deadline: Deadline

    init(turn: NamedTurn, deadline: Deadline) {
        self.turn = turn
        self.deadline = deadline
    }

    func end() { turn.end() }
}
