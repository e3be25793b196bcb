internal import Dispatch
internal import SecretService
internal import SharedAuth
internal import Synchronization

/// Waits for what can only be had asynchronously: an identity provider's answer, or a person's. The other verbs do
/// without, so that they need no more threads than the keyring does.
func result<Value: Sendable>(
    of work: @escaping @Sendable () async throws(AuthError) -> Value
) throws(AuthError) -> Value {
    let outcome = Outcome<Value>()
    Task {
        do throws(AuthError) {
            outcome.set(.success(try await work()))
        } catch {
            outcome.set(.failure(error))
        }
    }
    while true { if let value = try outcome.wait() { return value } }
}

/// What a task or an observation comes to; the first outcome counts.
final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, AuthError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func set(_ outcome: Result<Value, AuthError>) {
        result.withLock { $0 = $0 ?? outcome }
        isThere.signal()
    }

    /// Waits for it, without a deadline for however long that takes; nil at the deadline.
    func wait(by deadline: Deadline? = nil) throws(AuthError) -> Value? {
        _ = isThere.wait(timeout: deadline?.dispatchTime ?? .distantFuture)
        return try result.withLock { $0 }?.get()
    }
}

extension Auth {
    /// Waits until the first load has ended, well or not, and says what is known then.
    var loadedState: AuthState {
        _ = currentUser
        return state
    }

    /// The access group in use, or nil for the app's own slot, once it is known who is signed in there, or that nobody is.
    ///
    /// - Throws: why neither is known.
    var knownGroup: String? {
        get throws(AuthError) {
            let state = loadedState
            if let failure = state.failure(in: userAccessGroup) { throw failure }
            return userAccessGroup
        }
    }
}
