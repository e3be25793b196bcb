/// The content of a shared record: who is signed in, as far as the rules of ``FleetState`` need to know it.
protocol FleetContent: Sendable, Hashable, Codable {
    /// The number of exchanges of each session's tokens, by the session's name.
    ///
    /// A session gets its name when it enters the record. A name is never used again.
    var sessions: [String: Int] { get }

    /// Returns the content without these sessions; nil if no session remains.
    func removing(_ names: Set<String>) -> Self?

    /// Returns the content with the tokens of `other`, for each session of which `other` has later ones.
    func takingLaterTokens(of other: Self) -> Self
}

extension FleetContent {
    /// The names of the sessions.
    var names: Set<String> { Set(sessions.keys) }
}
