internal import FoundationEssentials

/// Messages about a wrong clock.
enum ClockWords {
    /// Returns a clause that says by how much the clock is wrong, if a new token has already expired; otherwise
    /// nil.
    static func expired(_ expires: Date, at now: Date) -> String? {
        let late = now.timeIntervalSince(expires)
        guard late >= 0 else { return nil }
        return "expired \(text(late)) ago by this machine's clock, though it is new. "
            + "The clock is ahead by at least that: set it."
    }

    /// Formats a duration in the largest unit that gives at least 2, or else in seconds, at least 1.
    static func text(_ seconds: TimeInterval) -> String {
        let units = [("day", 86_400.0), ("hour", 3600), ("minute", 60)]
        let (name, length) = units.first { seconds >= 2 * $0.1 } ?? ("second", 1)
        let count = Int64(min(max(1, (seconds / length).rounded()), 1e15))
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
