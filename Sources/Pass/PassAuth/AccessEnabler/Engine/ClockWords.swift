internal import FoundationEssentials

/// Messages about a wrong clock.
enum ClockWords {
    /// Returns by how much the clock is wrong if a new token has already expired; nil if it has not expired.
    static func expired(_ expires: Date, at now: Date) -> String? {
        let late = now.timeIntervalSince(expires)
        guard late >= 0 else { return nil }
        return "expired \(text(late)) ago by this machine's clock, though it is new. "
            + "The clock is ahead by at least that: set it."
    }

    /// Returns a length of time in the largest unit of which it has at least two, or in seconds, at least one.
    static func text(_ seconds: TimeInterval) -> String {
        let units = [("day", 86_400.0), ("hour", 3600), ("minute", 60)]
        let (name, length) = units.first { seconds >= 2 * $0.1 } ?? ("second", 1)
        let count = Int64(min(max(1, (seconds / length).rounded()), 1e15))
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
