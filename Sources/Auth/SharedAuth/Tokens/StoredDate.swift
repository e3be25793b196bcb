package import DesktopSupport
package import FoundationEssentials

extension Date {
    /// The time by which the clocks that write and read a date may differ.
    private static let tolerance: TimeInterval = 60

    /// Returns whether the date lies so far in the future that the clock that wrote it, as the time at which something
    /// happened, was ahead. The time at which it happened is unknown then.
    package func isFromFuture(at now: Date) -> Bool { timeIntervalSince(now) > Self.tolerance }
}

extension UserTokens {
    /// Returns whether this machine's clock was ahead when the tokens came. The date at which they expire is unknown
    /// then.
    package func isFromFuture(at now: Date) -> Bool { issueDate?.isFromFuture(at: now) ?? false }
}

extension Timer {
    /// Sets a timer that is due at a date of a clock.
    package convenience init(
        at date: Date,
        by now: @escaping @Sendable () -> Date,
        ring: @escaping @Sendable () -> Void
    ) {
        self.init(remaining: { Duration(limiting: date.timeIntervalSince(now())) }, ring: ring)
    }
}

extension Duration {
    /// Creates a duration of seconds; a month for more, and for what is no number.
    init(limiting seconds: TimeInterval) {
        let month = 30.0 * 24 * 3600
        self = .seconds(seconds < month ? max(seconds, -month) : month)
    }
}
