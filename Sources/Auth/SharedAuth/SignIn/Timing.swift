package import DesktopSupport
package import FoundationEssentials
internal import Synchronization

/// A time limit that can be restarted.
final class TimeLimit: Sendable {
    private let timer = Mutex<Timer?>(nil)

    /// Starts the time limit, in place of a running one.
    func begin(after timeout: Duration, _ work: @escaping @Sendable () -> Void) {
        timer.withLock { timer in
            timer?.cancel()
            timer = Timer(after: timeout, ring: work)
        }
    }

    /// Stops the time limit.
    func end() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }
}

extension ContinuousClock {
    /// Returns a closure that measures the time since this call. The clock cannot be set, and runs while the machine is
    /// asleep.
    package static func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { now - start }
    }
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
