internal import Dispatch
package import SharedAuth
internal import Synchronization

/// Does async work, and waits for its end on the calling thread: an identity provider's answer, or a person's.
///
/// Verbs that ask neither do without, so that they need no more threads than the keyring does.
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

/// What a task or an observation comes to; the first outcome counts.
package final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    package init() {}

    package func set(_ outcome: Result<Value, Failure>) {
        result.withLock { $0 = $0 ?? outcome }
        isThere.signal()
    }

    /// Waits for the outcome, for ever without a deadline; nil at the deadline.
    package func wait(by deadline: Deadline? = nil) throws(Failure) -> Value? {
        _ = isThere.wait(timeout: deadline?.dispatchTime ?? .distantFuture)
        return try result.withLock { $0 }?.get()
    }
}
