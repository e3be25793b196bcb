package import Dispatch

extension Deadline {
    /// The deadline in Dispatch's terms.
    package var dispatchTime: DispatchTime { .now() + remaining.dispatchInterval }
}

extension Duration {
    /// The duration in Dispatch's terms; more than 280 years never end.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < 9_000_000_000 else { return .never }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}

extension DispatchQueue {
    /// Runs work that blocks or computes for long on this queue, so that no thread of the concurrency pool is held up.
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result(catching: work)) }
        }.get()
    }
}
