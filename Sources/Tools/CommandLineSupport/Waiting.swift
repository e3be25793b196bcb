internal import Dispatch
package import SharedAuth
internal import Synchronization

/// Runs async work, such as a request to an identity provider or a prompt, and blocks the calling thread until it ends.
///
/// Verbs without such work do not call this, so that they need no more threads than the keyring does.
package func result<Value: Sendable, Failure: Error>(
    of work: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
    let outcome = Outcome<Value, Failure>()
    Task {
        do throws(Failure) {
            outcome.set(.success(try await work()))
        } catch {
            outcome.set(.failure(error))
        }
    }
    while true { if let value = try outcome.wait() { return value } }
}

/// The outcome of a task or an observation. The first outcome counts.
package final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    package init() {}

    package func set(_ outcome: Result<Value, Failure>) {
        result.withLock { $0 = $0 ?? outcome }
        isThere.signal()
    }

    /// Waits for the outcome, without limit if there is no deadline. Returns nil at the deadline.
    package func wait(by deadline: Deadline? = nil) throws(Failure) -> Value? {
        _ = isThere.wait(timeout: deadline?.dispatchTime ?? .distantFuture)
        return try result.withLock { $0 }?.get()
    }
}
