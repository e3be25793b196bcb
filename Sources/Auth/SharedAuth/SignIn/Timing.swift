internal import DesktopSupport
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
