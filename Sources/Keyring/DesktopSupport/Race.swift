internal import Synchronization

/// Keeps the first of several results for one awaiting task.
package final class Race<Outcome: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Outcome, Never>)
        case finished(Outcome)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Reports a result.
    ///
    /// - Returns: Whether it was the first result.
    @discardableResult
    package func finish(_ outcome: Outcome) -> Bool {
        let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
            switch state {
            case .finished: return (false, nil)
            case .open:
                state = .finished(outcome)
                return (true, nil)
            case .awaited(let continuation):
                state = .finished(outcome)
                return (true, continuation)
            }
        }
        waiting?.resume(returning: outcome)
        return isFirst
    }

    /// Waits for the first result. Call it once.
    package func result() async -> Outcome {
        await withCheckedContinuation { continuation in
            let finished = state.withLock { state -> Outcome? in
                if case .finished(let outcome) = state { return outcome }
                state = .awaited(continuation)
                return nil
            }
            if let finished { continuation.resume(returning: finished) }
        }
    }
}
