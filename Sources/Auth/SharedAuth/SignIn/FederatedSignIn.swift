internal import DesktopSupport
internal import Synchronization

/// The sign-in of an `Auth` that a person takes part in: one at a time.
final class FederatedSignIn: Sendable {
    private let isRunning = Mutex(false)
    private let serverTimeout: Duration
    private let endingTime: Duration

    /// - Parameters:
    ///   - serverTimeout: how long the server has for what is left when the person is done.
    ///   - endingTime: how long a provider may take to end when it is cancelled.
    init(serverTimeout: Duration, endingTime: Duration = .seconds(1)) {
        self.serverTimeout = serverTimeout
        self.endingTime = endingTime
    }

    /// Has the person sign in.
    ///
    /// Once the person is done, it goes on though the caller's task is cancelled: the answer that they came back with is good once.
    ///
    /// - Throws: `webContextAlreadyPresented` while another is running, `webContextCancelled` when the caller's task is cancelled
    ///   before that, `timedOut` when the person takes longer than the provider allows, and what the provider throws.
    func credential(of provider: any FederatedAuthProvider) async throws(AuthError) -> AuthCredential {
        let isFirst = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else {
            throw AuthError(
                .webContextAlreadyPresented,
                "A sign-in that a person takes part in is running already.",
                remedy: "Finish it, or cancel its task."
            )
        }
        defer { isRunning.withLock { $0 = false } }
        let race = Race<Result<AuthCredential, AuthError>>()
        let end = Race<Void>()
        let person = Person()
        let (timeout, serverTimeout) = (provider.timeout, serverTimeout)
        let task = Task {
            // The time counts from here: what kept this task from running is not the person's doing.
            let limit = TimeLimit()
            limit.begin(after: timeout) { race.finish(.failure(.personIsLate(timeout))) }
            do throws(AuthError) {
                let credential = try await provider.credential {
                    guard person.finish() else { return }
                    limit.begin(after: serverTimeout) { race.finish(.failure(.identityProviderIsLate(serverTimeout))) }
                }
                race.finish(.success(credential))
            } catch {
                race.finish(.failure(error))
            }
            limit.end()
            end.finish(())
        }
        return try await withTaskCancellationHandler {
            let result = await race.result()
            // What is open is cancelled, and has a moment to end: the next sign-in may need the same port.
            task.cancel()
            let timer = RaceTimer(after: endingTime) { end.finish(()) }
            defer { timer.cancel() }
            await end.result()
            return result
        } onCancel: {
            if person.leave() { race.finish(.failure(.cancelledByApp)) }
        }.get()
    }
}

/// What has become of the person who signs in.
private final class Person: Sendable {
    private enum State { case busy, done, gone }

    private let state = Mutex(State.busy)

    /// Takes note that the person has done what is theirs; false if they are not waited for any more.
    func finish() -> Bool { change(to: .done) != .gone }

    /// Waits for the person no longer; false if they were done before.
    func leave() -> Bool { change(to: .gone) != .done }

    /// The first of both counts.
    private func change(to new: State) -> State {
        state.withLock { state in
            if state == .busy { state = new }
            return state == new ? .busy : state
        }
    }
}

extension AuthError {
    fileprivate static func personIsLate(_ timeout: Duration) -> AuthError {
        AuthError(.timedOut, "The sign-in was not finished within \(timeout).", remedy: "Try again.")
    }

    fileprivate static var cancelledByApp: AuthError {
        AuthError(.webContextCancelled, "The sign-in was cancelled; nothing was changed.")
    }
}
