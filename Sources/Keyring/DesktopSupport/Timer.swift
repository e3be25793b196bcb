internal import Synchronization

/// Calls a closure once, when no time is left, unless it is cancelled first.
///
/// Waits are measured by a clock that cannot be set and that continues while the machine is suspended. No wait is longer
/// than ten minutes: then the time left is computed anew, so that a date is met although the clock of the dates was set.
///
/// All timers share one thread, so the closures must not block: those with more to do continue on a queue. A timer that
/// is released goes on.
package final class Timer: Sendable {
    /// Calls a closure after a duration; returns a closure that prevents it. Tests replace it.
    package typealias Wait = @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void

    private enum Phase {
        case set, cancelled, rung
    }

    private struct State {
        var phase = Phase.set
        /// The number of waits that have begun.
        var waits = 0
        /// Ends the present wait.
        var stopWaiting: (@Sendable () -> Void)?
    }

    /// The maximum duration of a wait.
    package static let longestWait = Duration.seconds(600)

    private let state = Mutex(State())
    private let remaining: @Sendable () -> Duration
    private let wait: Wait
    private let ring: @Sendable () -> Void

    /// Sets a timer.
    ///
    /// - Parameters:
    ///   - remaining: Returns the time left, now and after each wait; it may be negative.
    ///   - ring: The closure to call when no time is left.
    @discardableResult
    package init(
        remaining: @escaping @Sendable () -> Duration,
        waiting wait: @escaping Wait = Timer.live,
        ring: @escaping @Sendable () -> Void
    ) {
        self.remaining = remaining
        self.wait = wait
        self.ring = ring
        plan()
    }

    /// Sets a timer that is due at a deadline; a cancelled one has passed.
    @discardableResult
    package convenience init(at deadline: Deadline, ring: @escaping @Sendable () -> Void) {
        self.init(remaining: { deadline.remaining }, ring: ring)
    }

    /// Sets a timer that is due after a duration.
    @discardableResult
    package convenience init(after duration: Duration, ring: @escaping @Sendable () -> Void) {
        self.init(at: .after(duration), ring: ring)
    }

    /// Cancels the timer.
    ///
    /// - Returns: Whether the closure was called, or is about to be called.
    @discardableResult
    package func cancel() -> Bool { end(.cancelled) == .rung }

    /// Calls the closure now, unless it was called or cancelled.
    package func fire() {
        if end(.rung) == .set { ring() }
    }

    /// Ends the timer, unless it has ended. Returns the former phase.
    private func end(_ phase: Phase) -> Phase {
        let (former, stopWaiting) = state.withLock { state -> (Phase, (@Sendable () -> Void)?) in
            guard state.phase == .set else { return (state.phase, nil) }
            defer { (state.phase, state.stopWaiting) = (phase, nil) }
            return (.set, state.stopWaiting)
        }
        stopWaiting?()
        return former
    }

    private func plan() {
        let number = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        let duration = min(max(.milliseconds(1), remaining()), Self.longestWait)
        let stopWaiting = wait(duration) { self.look() }
        let isPresent = state.withLock { state in
            // The wait may have ended, and the next one begun.
            guard state.phase == .set, state.waits == number else { return false }
            state.stopWaiting = stopWaiting
            return true
        }
        if !isPresent { stopWaiting() }
    }

    private func look() {
        if remaining() <= .zero { fire() } else if state.withLock({ $0.phase }) == .set { plan() }
    }
}

extension Duration {
    /// Returns the pause before another try: 1, 2, 4 … 60 seconds after 1, 2, 3 … failures in a row.
    package static func pause(afterFailures count: Int) -> Duration { .seconds(min(60, 1 << min(count - 1, 6))) }
}

extension Deadline {
    /// Runs `body`, which blocks. If the deadline passes or is cancelled first, calls `interrupt` on another thread, to
    /// end an operation for which GLib has no time limit.
    ///
    /// - Returns: The result of `body`, and whether `interrupt` was called or is about to be called.
    package func interrupting<Result>(
        by interrupt: @escaping @Sendable () -> Void,
        _ body: () -> Result
    ) -> (result: Result, isInterrupted: Bool) {
        let timer = Timer(at: self, ring: interrupt)
        let result = cancellation.map { $0.observed(by: { timer.fire() }, body) } ?? body()
        return (result, timer.cancel())
    }
}
