internal import Dispatch

/// Runs long blocking work of a test on a separate thread.
///
/// Async code has only as many threads as there are processors: two tests that block theirs stop every other test.
package func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "test").async { continuation.resume(with: Result { try work() }) }
    }
}
