/// Calls a function at a deadline, to end an operation that blocks another thread and for which GLib has no timeout.
///
/// It waits on a separate thread, which ends soon after the alarm is stopped.
package final class Alarm: Sendable {
    private enum State {
        case set, stopped, rung
    }

    private let state = Monitor(State.set)

    /// Sets the alarm. `ring` is called at the deadline on another thread, unless the alarm is stopped first.
    package init(at deadline: Deadline, ring: @escaping @Sendable () -> Void) {
        startThread(named: "alarm") { [state] in
            _ = state.wait(until: deadline) { state in state == .set ? nil : () }
            let rings = state.update { state in
                guard state == .set else { return false }
                state = .rung
                return true
            }
            if rings { ring() }
        }
    }

    /// Stops the alarm.
    ///
    /// - Returns: Whether it has rung or is about to ring.
    @discardableResult
    package func stop() -> Bool {
        state.update { state in
            if state == .set { state = .stopped }
            return state == .rung
        }
    }
}
