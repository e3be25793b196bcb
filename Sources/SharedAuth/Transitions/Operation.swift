internal import SecretService

/// One operation on an `Auth`'s state, from `Auth.begin()` to `end()`.
struct Operation {
    private let auth: Auth
    private let turn: NamedTurn
    /// When the operation must have ended.
    let deadline: Deadline

    init(of auth: Auth, turn: NamedTurn, deadline: Deadline) {
        self.auth = auth
        self.turn = turn
        self.deadline = deadline
    }

    func end() {
        auth.noteProvider(within: deadline)
        turn.end()
    }
}
