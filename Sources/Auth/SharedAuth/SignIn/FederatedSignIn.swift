internal import DesktopSupport
internal import Synchronization

/// Runs the sign-ins of an `Auth` in which the user takes part, one at a time.
final class FederatedSignIn: Sendable {
    private let isRunning = Mutex(false)
    private let serverTimeout: Duration
    private let endingTime: Duration

    /// - Parameters:
    ///   - serverTimeout: The time limit for the server's work after the user is done.
    ///   - endingTime: The time limit for a cancelled provider to end.
    init(serverTimeout: Duration, endingTime: Duration = .seconds(1)) {
        self.serverTimeout = serverTimeout
        self.endingTime = endingTime
    }

    /// Signs the user in at a provider.
    ///
    /// Once the user is done, the sign-in continues even if the caller's task is cancelled: the response that the
    /// browser returned is valid only once.
    ///
    /// - Parameter late: Handles a credential that arrives when the caller has stopped waiting.
    /// - Throws: `webContextAlreadyPresented` while another sign-in is running; `webContextCancelled` if the caller's
    ///   task is cancelled before the user is done; `timedOut` if the user exceeds the provider's time limit, or the
    ///   server its own; the errors of the provider.
    func credential(
        of provider: any FederatedAuthProvider,
        late: @escaping @Sendable (AuthCredential) async -> Void
    ) async throws(AuthError) -> AuthCredential {
        let isFirst = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else {
            throw AuthError(
                .webContextAlreadyPresented,
                "Another interactive sign-in is already in progress.",
                remedy: "Finish it, or cancel its task."
            )
        }
        defer { isRunning.withLock { $0 = false } }
        let race = Race<Result<AuthCredential, AuthError>>()
        let end = Race<Void>()
        let person = Person()
        let (timeout, serverTimeout) = (provider.timeout, serverTimeout)
        let task = Task {
            // The time limit starts here: the user is not responsible for a delay before this task runs.
            let (limit, advice) = (TimeLimit(), SignInAdvice())
            limit.begin(after: timeout) { race.finish(.failure(advice.isOver(after: timeout))) }
            let result = await SignInAdvice.$ofAuth.withValue(advice) {
                await Result { () async throws(AuthError) -> AuthCredential in
                    try await provider.credential {
                        guard person.finish() else { return }
                        limit.begin(after: serverTimeout) {
                            race.finish(.failure(.identityProviderIsLate(serverTimeout)))
                        }
                    }
                }
            }
            // The caller does not wait for this.
            if !race.finish(result), case .success(let credential) = result { Task { await late(credential) } }
            limit.end()
            end.finish(())
        }
        return try await withTaskCancellationHandler {
            let result = await race.result()
            // Give a cancelled provider a moment to end: the next sign-in may need the same port.
            task.cancel()
            let timer = Timer(after: endingTime) { end.finish(()) }
            defer { timer.cancel() }
            await end.result()
            return result
        } onCancel: {
            if person.leave() { race.finish(.failure(.cancelledByApp)) }
        }.get()
    }
}

extension AuthEngine {
    /// Signs the user in at a provider, and ends the session of a credential that arrives too late.
    ///
    /// - Throws: the errors of `FederatedSignIn.credential(of:late:)`.
    func credential(of provider: any FederatedAuthProvider) async throws(AuthError) -> AuthCredential {
        try await federatedSignIn.credential(of: provider) { [weak self] late in
            await self?.discard(late, of: provider)
        }
    }
}

/// Records whether the user finished or the app cancelled first.
private final class Person: Sendable {
    private enum State { case busy, done, gone }

    private let state = Mutex(State.busy)

    /// Records that the user is done; returns false if the sign-in was already cancelled.
    func finish() -> Bool { change(to: .done) != .gone }

    /// Records that the sign-in is cancelled; returns false if the user was already done.
    func leave() -> Bool { change(to: .gone) != .done }

    /// Changes the state unless it was changed before. Returns the other state if that was first, else `busy`.
    private func change(to new: State) -> State {
        state.withLock { state in
            if state == .busy { state = new }
            return state == new ? .busy : state
        }
    }
}

extension Result {
    /// Creates the result of a call.
    fileprivate init(_ call: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await call())
        } catch {
            self = .failure(error)
        }
    }
}

extension AuthError {
    fileprivate static var cancelledByApp: AuthError {
        AuthError(.webContextCancelled, "The sign-in was cancelled; nothing was changed.")
    }
}
