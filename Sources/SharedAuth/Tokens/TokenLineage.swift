/// Names the sign-in that tokens come from, and counts the exchanges since: of two copies of a session it tells which is newer, whatever the
/// clocks of the machine were.
struct TokenLineage: Sendable, Hashable, Codable {
    /// A random name of the sign-in.
    let signIn: String
    /// The number of exchanges since the sign-in.
    let exchanges: Int

    private init(_ signIn: String, _ exchanges: Int) {
        (self.signIn, self.exchanges) = (signIn, exchanges)
    }

    /// Begins with a sign-in.
    init() {
        self.init(String(UInt64.random(in: 0 ... .max), radix: 36), 0)
    }

    /// The lineage after one exchange more.
    var next: TokenLineage { TokenLineage(signIn, exchanges + 1) }
}
