internal import Dispatch
package import SecretService
internal import SharedAuth
internal import Synchronization

/// Does work that is asynchronous, and waits for its end on the calling thread.
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

    /// Waits for it, without a deadline for however long that takes; nil at the deadline.
    package func wait(by deadline: Deadline? = nil) throws(Failure) -> Value? {
        _ = isThere.wait(timeout: deadline?.dispatchTime ?? .distantFuture)
        return try result.withLock { $0 }?.get()
    }
}
