internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The authorization code flow of a desktop app (RFC 8252): the browser opens the sign-in page and is redirected to a
/// listener on this machine.
struct CodeFlow: Sendable {
    static let grantType = "authorization_code"

    let target: any SignInTarget
    let settings: BrowserSettings
    let parameters: SignInParameters
    let time: SignInTime
    let userIsDone: @Sendable () -> Void

    /// The result of one visit of the sign-in page.
    private enum Attempt: Sendable {
        case signedIn(OAuthCredential)
        /// Nothing was spent.
        case refused(ServerRefusal)
    }

    /// Signs the user in.
    func run() async throws(AuthError) -> OAuthCredential {
        let server = try await target.server()
        let added = target.addedScope(at: server)
        let first = try await attempt(adding: added, at: server)
        guard case .refused(let refusal) = first else { return try credential(of: first) }
        guard added != nil, AddedScope.mayBeRefused(by: refusal, of: parameters.request) else {
            throw refusal.error(of: parameters.request)
        }
        target.noteRefusalOfAddedScope()
        return try credential(of: try await attempt(adding: nil, at: server))
    }

    private func credential(of attempt: Attempt) throws(AuthError) -> OAuthCredential {
        switch attempt {
        case .signedIn(let credential): return credential
        case .refused(let refusal): throw refusal.error(of: parameters.request)
        }
    }

    private func attempt(adding added: String?, at server: ServerMetadata) async throws(AuthError) -> Attempt {
        guard let endpoint = server.authorizationEndpoint else {
            throw .lacking("authorization_endpoint", in: "discovery document")
        }
        let settings = self.settings.noting(in: time).separating(
            server.redirectName,
            namesItself: server.namesIssuer
        )
        let advice = [settings.adviceOnRedirect, added.map(AddedScope.advice)]
        time.advise(advice.compactMap(\.self).joined(separator: " "))
        // Bound before the request is made, so that no other process can own the port in its redirect URI.
        let visit = try settings.visit(settings)
        defer { visit.end() }
        let secrets = SignInSecrets(target.dependencies.random)
        let request = AuthorizationRequest(
            clientID: target.clientID,
            redirectURI: visit.redirectURI.absoluteString,
            scopes: target.scopes(at: server),
            added: added,
            isOpenID: target.isOpenID,
            parameters: parameters
        )
        let items = request.items(secrets) + target.resourceParameters
        let url: URL?
        switch try await PushedRequest(target: target, items: items).answer(at: server) {
        case .notOffered: url = endpoint.adding(items)
        case .reference(let reference): url = endpoint.adding(reference)
        case .refused(let refusal):
            guard server.requiresPushedRequests else {
                url = endpoint.adding(items)
                break
            }
            return .refused(refusal)
        }
        // Other users of this machine can read it, so it contains only a reference to the request if the server
        // supports that.
        guard let url else { throw AuthError(.webInternalError, "The URL of the sign-in page could not be created.") }
        let answer = BrowserAnswer(
            parameters: try await settings.answer(of: visit, opening: url, matching: secrets.state, within: time) {
                parameters throws(AuthError) in
                try BrowserAnswer(parameters: parameters).check(server.issuer, namesIssuer: server.namesIssuer)
            }
        )
        switch try answer.outcome(state: secrets.state, issuer: server.issuer, namesIssuer: server.namesIssuer) {
        case .refused(let refusal): return .refused(refusal)
        case .code(let code):
            userIsDone()
            return .signedIn(try await exchange(code, request, secrets, at: server))
        }
    }

    /// Exchanges the code for tokens, once.
    private func exchange(
        _ code: String,
        _ request: AuthorizationRequest,
        _ secrets: SignInSecrets,
        at server: ServerMetadata
    ) async throws(AuthError) -> OAuthCredential {
        let tokens = try await outlivingCaller { () async throws(AuthError) in
            let answer = try await target.backchannel.post(
                [
                    ("grant_type", Self.grantType), ("code", code), ("redirect_uri", request.redirectURI),
                    ("code_verifier", secrets.verifier),
                ] + target.resourceParameters,
                to: server.tokenEndpoint,
                as: target.authentication(at: server),
                "the tokens"
            )
            if let error = target.refusal(of: request.added, in: answer, to: .codeExchange) { throw error }
            guard let tokens = try OpenIDConnect.tokens(in: answer, of: .codeExchange) else {
                throw .malformed("the response to a sign-in")
            }
            return tokens
        } late: { tokens in
            await target.discard(tokens, asking: request.allScopes)
        }
        return try await target.usableCredential(
            of: tokens,
            asking: request.allScopes,
            rawNonce: request.isOpenID ? secrets.rawNonce : nil,
            maxAge: request.parameters.maxAge,
            at: server
        )
    }
}
