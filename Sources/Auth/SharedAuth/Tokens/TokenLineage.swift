/// Names the sign-in that tokens come from, and counts the exchanges since. It tells which of two copies of a session
/// is newer, whatever the machines' clocks were.
struct TokenLineage: Sendable, Hashable, Codable {
    /// A random name of the sign-in.
    let signIn: String
    /// The number of exchanges since the sign-in.
    let exchanges: Int

    private init(_ signIn: String, _ exchanges: Int) {
        (self.signIn, self.exchanges) = (signIn, exchanges)
    }

    /// Begins the lineage of a new sign-in.
    init() {
        self.init(String(UInt64.random(in: 0 ... .max), radix: 36), 0)
    }

    /// The lineage after one more exchange.
    var next: TokenLineage { TokenLineage(signIn, exchanges + 1) }
}
