internal import Synchronization

/// Takes the first of several results, which one task awaits.
final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case finished(Value)
        case taken
    }

    private let state = Mutex(State.open)

    /// Gives a result; only the first counts.
    func finish(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .finished(value)
                return nil
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .finished, .taken:
                return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// The first result, awaited once.
    func result() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                guard case .finished(let value) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                state = .taken
                return value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
