internal import Dispatch
internal import Synchronization

/// Runs a closure after a delay, unless it is cancelled first.
///
/// The closure must not block: all timers share one private queue, so that an app's work on the global queues does not
/// delay them.
struct RaceTimer {
    private static let queue = DispatchQueue(label: "SharedAuth.timers")
    private let timer: any DispatchSourceTimer

    init(after timeout: Duration, _ work: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: Self.queue)
        timer.schedule(deadline: .now() + timeout.dispatchInterval)
        timer.setEventHandler(handler: work)
        timer.activate()
    }

    func cancel() { timer.cancel() }
}

/// A time limit that can be restarted.
final class TimeLimit: Sendable {
    private let timer = Mutex<RaceTimer?>(nil)

    /// Starts the time limit, in place of a running one.
    func begin(after timeout: Duration, _ work: @escaping @Sendable () -> Void) {
        timer.withLock { timer in
            timer?.cancel()
            timer = RaceTimer(after: timeout, work)
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
