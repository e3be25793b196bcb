/// A media token's lifetime, in milliseconds on the wire.
enum TokenLifetime {
    /// A year. Media tokens live minutes; more than this is a mistake of unit, or meant to overflow.
    private static let longest: Int64 = 366 * 86_400_000

    static func duration(_ text: String) throws(PassTokenError) -> Duration {
        let digits = text.utf8
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let milliseconds = Int64(text), milliseconds <= longest
        else { throw flaw }
        return .milliseconds(milliseconds)
    }

    static func text(_ lifetime: Duration) throws(PassTokenError) -> String {
        guard lifetime >= .zero, lifetime <= .milliseconds(longest) else { throw flaw }
        let (seconds, attoseconds) = lifetime.components
        return String(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    private static var flaw: PassTokenError {
        PassTokenError(
            .invalidLifetime,
            "The token's ttl is not a number of milliseconds from 0 to 366 days. Look at what the server sends."
        )
    }
}
