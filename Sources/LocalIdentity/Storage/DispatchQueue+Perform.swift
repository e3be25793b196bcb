internal import Dispatch
internal import SharedAuth

extension DispatchQueue {
    /// Runs work that blocks or computes for long on this queue, so that no thread of the concurrency pool is held up.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result(catching: work)) }
        }.get()
    }
}
