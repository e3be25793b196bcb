package import Dispatch

extension Deadline {
    /// The deadline as a Dispatch time.
    package var dispatchTime: DispatchTime { .now() + remaining.dispatchInterval }
}

extension Duration {
    /// The duration as a Dispatch interval; `never` if it exceeds 280 years.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < 9_000_000_000 else { return .never }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}

extension DispatchQueue {
    /// Runs blocking or long-running work on this queue, to keep the threads of the concurrency pool free.
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result(catching: work)) }
        }.get()
    }
}
