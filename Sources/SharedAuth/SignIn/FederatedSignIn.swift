internal import GLibSupport
internal import Synchronization

/// The sign-in of an `Auth` that a person takes part in: one at a time.
final class FederatedSignIn: Sendable {
    private let isRunning = Mutex(false)

    /// Has the person sign in.
    ///
    /// - Throws: `webContextAlreadyPresented` while another is running, `webContextCancelled` when the caller's task is cancelled,
    ///   `timedOut` when the person takes longer than the provider allows, and what the provider throws.
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
        let timeout = provider.timeout
        let task = Task {
            // The time counts from here: what kept this task from running is not the person's doing.
            let timer = RaceTimer(after: timeout) { race.finish(.failure(.personIsLate(timeout))) }
            defer { timer.cancel() }
            do throws(AuthError) {
                race.finish(.success(try await provider.credential()))
            } catch {
                race.finish(.failure(error))
            }
        }
        return try await withTaskCancellationHandler {
            let result = await race.result()
            // The browser or what else is open is not waited for any more.
            task.cancel()
            return result
        } onCancel: {
            race.finish(.failure(.cancelledByApp))
        }.get()
    }
}

extension AuthError {
    fileprivate static func personIsLate(_ timeout: Duration) -> AuthError {
        AuthError(.timedOut, "Nobody finished the sign-in within \(timeout).", remedy: "Try again.")
    }

    fileprivate static var cancelledByApp: AuthError {
        AuthError(.webContextCancelled, "The sign-in was cancelled; nothing was changed.")
    }
}
