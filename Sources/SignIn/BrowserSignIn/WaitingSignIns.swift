internal import BrowserFlow
internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// The sign-ins that wait for a redirect, which their listeners receive or the user passes on by hand.
final class WaitingSignIns: Sendable {
    /// Checks the parameters of a redirect beyond their state.
    typealias Check = @Sendable ([String: String]) throws(AuthError) -> Void
    typealias Answer = Result<[String: String], AuthError>

    private struct Waiting: Sendable {
        let redirectURI: URL
        let check: Check
        let answer: Race<Answer>
    }

    /// The sign-ins by their states.
    private let all = Mutex<[String: Waiting]>([:])

    /// Waits for the redirect, by `receive` or by hand.
    func answer(
        to redirectURI: URL,
        matching state: String,
        checking check: @escaping Check,
        receiving receive: @escaping @Sendable () async throws(AuthError) -> [String: String]
    ) async throws(AuthError) -> [String: String] {
        let race = Race<Answer>()
        all.withLock { $0[state] = Waiting(redirectURI: redirectURI, check: check, answer: race) }
        let receiving = Task {
            do throws(AuthError) {
                race.finish(.success(try await receive()))
            } catch {
                race.finish(.failure(error))
            }
        }
        let answer = await withTaskCancellationHandler {
            await race.result()
        } onCancel: {
            receiving.cancel()
            race.finish(.failure(AuthError(.webContextCancelled, "The sign-in was cancelled.")))
        }
        all.withLock { $0[state] = nil }
        receiving.cancel()
        // The next attempt may need the same port.
        await receiving.value
        return try answer.get()
    }

    /// Ends the wait of the sign-in that an address belongs to.
    ///
    /// - Throws: `invalidCredential` if it is not the redirect of a sign-in that waits, which goes on waiting;
    ///   `operationNotAllowed` if no sign-in waits; the errors of its check.
    func handle(_ text: String) throws(AuthError) {
        let redirect = PastedRedirect(text)
        var refusal: AuthError?
        for (state, waiting) in all.withLock({ $0 }) {
            let answer: RedirectAnswer
            do throws(RedirectRefusal) {
                answer = try redirect.answer(to: waiting.redirectURI, matching: state)
            } catch {
                // A sign-in with another address says less about this one than one with the same.
                if refusal == nil || error != .path { refusal = .refused(error, waiting.redirectURI) }
                continue
            }
            try waiting.check(answer.parameters)
            guard all.withLock({ $0.removeValue(forKey: state) }) != nil,
                waiting.answer.finish(.success(answer.parameters))
            else { throw .nobodyWaits }
            return
        }
        throw refusal ?? .nobodyWaits
    }
}

extension AuthError {
    fileprivate static var nobodyWaits: AuthError {
        AuthError(
            .operationNotAllowed,
            "No sign-in waits for this address: it was used before, or its sign-in has ended.",
            remedy: "Start the sign-in again."
        )
    }

    /// Never contains the address: it has the code.
    fileprivate static func refused(_ refusal: RedirectRefusal, _ redirectURI: URL) -> AuthError {
        if refusal == .path {
            return AuthError(
                .invalidCredential,
                "This is not the address that the browser was redirected to, which begins with "
                    + "\(redirectURI.absoluteString)?. The sign-in still waits.",
                remedy: "Copy the whole address from the browser when its page cannot be opened at the end."
            )
        }
        return AuthError(
            .invalidCredential,
            "\(refusal.reason). The sign-in still waits.",
            remedy: "Finish the sign-in on the page that was shown last, and copy the whole address at its end."
        )
    }
}
