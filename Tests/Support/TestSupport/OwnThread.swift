internal import Dispatch

/// Runs work that blocks for long on a separate thread, for a test.
///
/// Async code has as few threads as there are processors: two tests that block theirs hold up every other test.
package func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "test").async { continuation.resume(with: Result { try work() }) }
    }
}
