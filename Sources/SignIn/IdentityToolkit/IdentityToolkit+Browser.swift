internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension IdentityToolkit: BrowserActions {
    /// Signs the user in, in the browser, at a service that is configured in the project. Firebase creates the URL of
    /// the sign-in page and redeems the response, so the service's secret stays with Firebase.
    ///
    /// The redirect URI must be registered with the service: see ``Settings/browser``.
    ///
    /// - Throws: `webContextCancelled` if the user declines or the task is cancelled; `timedOut`;
    ///   `webSignInUserInteractionFailure` if no browser can be opened or the port is taken; an error from Firebase.
    public func credential(of provider: OAuthProvider, tenantID: String?) async throws(AuthError) -> AuthCredential {
        // Check the key before the user signs in.
        try await checkKey()
        let time = SignInTime(provider.timeout, ContinuousClock.stopwatch())
        time.advise(settings.browser.adviceOnRedirect)
        let browser = settings.browser.noting(in: time)
        let visit = try browser.visit(browser)
        defer { visit.end() }
        let back = visit.redirectURI.absoluteString
        let page = try await signInPage(of: provider, returningTo: back, tenantID: tenantID)
        let answer = try await browser.answer(of: visit, opening: page.url, matching: page.state, within: time)
        if answer["error"] == "access_denied" {
            throw AuthError(.webContextCancelled, "The sign-in at \(provider.providerID) was declined.")
        }
        let query = FormEncoding.encode(answer.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
        return OAuthCredential(
            providerID: provider.providerID,
            pendingToken: nil,
            redirect: .init(sessionID: page.sessionID, url: "\(back)?\(query)")
        )
    }

    /// Passes on the redirect of a running sign-in by hand, e.g. because the browser is on another machine.
    ///
    /// - Parameter address: The whole address that the browser was redirected to.
    /// - Throws: `invalidCredential` if it is not the redirect of a running sign-in, which goes on waiting;
    ///   `operationNotAllowed` if no sign-in is running.
    public func handle(redirect address: String) throws(AuthError) { try settings.browser.handle(redirect: address) }

    /// A service's sign-in page.
    private struct SignInPage: Sendable {
        let url: URL
        /// The `state` parameter of the page's URL; the redirect must repeat it.
        let state: String
        /// Firebase's identifier of this sign-in attempt.
        let sessionID: String
    }

    private func signInPage(
        of provider: OAuthProvider,
        returningTo address: String,
        tenantID: String?
    ) async throws(AuthError) -> SignInPage {
        let backend = backend
        var members: [String: JSONValue] = [
            "providerId": .string(provider.providerID), "continueUri": .string(address),
            "authFlowType": .string("CODE_FLOW"),
        ]
        if !provider.scopes.isEmpty { members["oauthScope"] = .string(provider.scopes.joined(separator: " ")) }
        let given = settings.browser.parameters.merging(provider.customParameters) { $1 }
        let parameters = given.filter { !$0.value.isEmpty }
        if !parameters.isEmpty { members["customParameter"] = .object(parameters.mapValues { .string($0) }) }
        if let tenantID { members["tenantId"] = .string(tenantID) }
        let answer = try await backend.call(.createAuthURI, members)
        guard let text = answer.string("authUri"), let url = URL(string: text),
            let sessionID = answer.string("sessionId")
        else { throw .incomplete("a sign-in page") }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        guard let state = items.first(where: { $0.name == "state" })?.value, !state.isEmpty else {
            throw .incomplete("a state in the address of the sign-in page")
        }
        // Only an emulator may have a page without TLS.
        guard url.scheme == "https" || url.scheme == "http" && backend.emulator != nil else {
            throw .incomplete("a sign-in page with an https address")
        }
        return SignInPage(url: url, state: state, sessionID: sessionID)
    }
}

extension OAuthCredential.Redirect {
    /// The query of the redirect URL.
    var query: String { url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) } ?? "" }
}
