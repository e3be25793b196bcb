internal import SecretService

/// One operation on an `Auth`'s state, from `Auth.begin()` to `end()`.
struct Operation {
    private let auth: Auth
    private let turn: NamedTurn
    /// Who provided the secrets before the operation read any.
    private let provider: PeerFeed.Provider?
    /// When the operation must have ended.
    let deadline: Deadline

    init(of auth: Auth, turn: NamedTurn, deadline: Deadline) {
        self.auth = auth
        self.turn = turn
        self.deadline = deadline
        provider = auth.feed?.provider
    }

    func end() {
        auth.noteProvider(provider, within: deadline)
        turn.end()
    }
}
