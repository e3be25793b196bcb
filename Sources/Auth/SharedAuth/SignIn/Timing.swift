internal import Dispatch
internal import Synchronization

/// Does something after a time, unless it is cancelled before.
///
/// The work must not block: all timers have one queue, of their own, so that none waits behind an app's work on the shared ones.
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

/// A time in which something has to end, and which may begin again.
final class TimeLimit: Sendable {
    private let timer = Mutex<RaceTimer?>(nil)

    /// Begins it, instead of the one that was begun before.
    func begin(after timeout: Duration, _ work: @escaping @Sendable () -> Void) {
        timer.withLock { timer in
            timer?.cancel()
            timer = RaceTimer(after: timeout, work)
        }
    }

    /// Stops it.
    func end() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }
}

extension ContinuousClock {
    /// Measures the time since this call; no user sets this clock, and it counts while the machine is asleep.
    package static func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { now - start }
    }
}
