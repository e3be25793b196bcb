internal import FoundationEssentials

/// Sentences about a clock that is wrong.
enum ClockWords {
    /// Says by how much the clock is wrong if something new has already expired; nil if it has not.
    static func expired(_ expires: Date, at now: Date) -> String? {
        let late = now.timeIntervalSince(expires)
        guard late >= 0 else { return nil }
        return "expired \(text(late)) ago by this machine's clock, though it is new. "
            + "The clock is ahead by at least that: set it."
    }

    /// A length of time, in the largest unit that it has two of, or one second.
    static func text(_ seconds: TimeInterval) -> String {
        let units = [("day", 86_400.0), ("hour", 3600), ("minute", 60)]
        let (name, length) = units.first { seconds >= 2 * $0.1 } ?? ("second", 1)
        let count = Int64(min(max(1, (seconds / length).rounded()), 1e15))
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
