internal import Synchronization

/// Takes the first of several results, which one task awaits.
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
    /// - Returns: whether it was the first.
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

    /// Waits for the first result; to be called once.
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
