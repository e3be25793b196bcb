/// What the configuration of a programmer found and did in the store.
public struct ConfigurationReport: Sendable, Hashable {
    /// The session that stands now; nil when the programmer is not signed in.
    public let session: PassSession?
    /// The providers with which a sign-in without asking may succeed: each wants a token for every programmer, and another
    /// programmer of the store has one.
    public let passiveProviders: [String]
    /// Whether a token was taken over from an earlier layout.
    public let hasImported: Bool
    /// How many tokens left because they had been expired for 30 days.
    public let expiredTokens: Int
    /// How many tokens of other devices left; if any did, Pass reports `SEC412`.
    public let foreignTokens: Int
    /// The tokens that the integrity check could not read. Damaged ones have left; those of a newer version of the library
    /// stay.
    public let unreadableTokens: [UnreadableToken]
    /// Whether the store was cleared, as the integrity check wants it.
    public let hasCleared: Bool
}
