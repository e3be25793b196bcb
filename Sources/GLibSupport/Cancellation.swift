internal import Synchronization

/// A way to end a call before its deadline, from another thread: what a ``Deadline`` made with it bounds is over once this is
/// cancelled.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    /// Makes one that is not cancelled.
    public init() {}

    /// Whether it was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends what is bounded by it; a second time does nothing.
    public func cancel() {
        let observers = state.withLock { state in
            state.isCancelled = true
            defer { state.observers = [:] }
            return state.observers.values.map(\.self)
        }
        for observer in observers { observer() }
    }

    /// Calls `observer` once this is cancelled, at once if it is, as long as `body` runs.
    package func observed<Result>(by observer: @escaping @Sendable () -> Void, _ body: () -> Result) -> Result {
        let number: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.nextNumber += 1
            state.observers[state.nextNumber] = observer
            return state.nextNumber
        }
        guard let number else {
            observer()
            return body()
        }
        defer { state.withLock { state in state.observers[number] = nil } }
        return body()
    }
}

extension Cancellation: Hashable {
    /// Whether both are the same object.
    public static func == (left: Cancellation, right: Cancellation) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
