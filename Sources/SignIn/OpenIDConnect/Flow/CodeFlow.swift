internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The authorization code flow of a desktop app (RFC 8252): the browser opens the sign-in page and is redirected to a
/// listener on this machine.
struct CodeFlow: Sendable {
    let target: any SignInTarget
    let settings: BrowserSettings
    let timeout: Duration
    let userIsDone: @Sendable () -> Void

    /// Signs the user in.
    func run() async throws(AuthError) -> OAuthCredential {
        try await endingWhenCancelled { () async throws(AuthError) in
            let began = target.dependencies.elapsed()
            let server = try await target.server()
            guard let endpoint = server.authorizationEndpoint else { throw .malformed("the discovery document") }
            // Bound before the request is made, so that no other process can own the port in its redirect URI.
            let settings = self.settings.separating(
                server.issuerURL ?? endpoint.text,
                namesItself: server.namesIssuer
            )
            let visit = try settings.visit(settings)
            defer { visit.end() }
            let secrets = SignInSecrets(target.dependencies.random)
            let request = AuthorizationRequest(
                clientID: target.clientID,
                redirectURI: visit.redirectURI.absoluteString,
                scopes: target.scopes(at: server),
                isOpenID: target.isOpenID,
                parameters: settings.parameters
            )
            let url = try await address(of: request, secrets, at: endpoint, server)
            let parameters: [String: String]
            do throws(AuthError) {
                parameters = try await visit.answer(
                    opening: url,
                    matching: secrets.state,
                    within: timeout - (target.dependencies.elapsed() - began)
                )
            } catch {
                guard error.code == .timedOut, settings.redirectPath != self.settings.redirectPath else { throw error }
                throw error.naming(settings.registeredAddress)
            }
            userIsDone()
            let isSilent = settings.parameters["prompt"] == "none"
            let code = try BrowserAnswer(parameters: parameters, isSilent: isSilent).code(
                state: secrets.state,
                issuerURL: server.issuerURL,
                namesIssuer: server.namesIssuer
            )
            return try await exchange(code, request, secrets, at: server)
        }
    }

    /// Returns the URL to open. Other users of this machine can read it, so it contains only a reference to the request
    /// if the server supports that.
    private func address(
        of request: AuthorizationRequest,
        _ secrets: SignInSecrets,
        at endpoint: WebAddress,
        _ server: ServerMetadata
    ) async throws(AuthError) -> URL {
        let items = try request.items(secrets)
        let pushed = try await PushedRequest(target: target, items: items).reference(at: server)
        guard let url = endpoint.adding(pushed ?? items) else {
            throw AuthError(.webInternalError, "The URL of the sign-in page could not be created.")
        }
        return url
    }

    /// Exchanges the code for tokens, once.
    private func exchange(
        _ code: String,
        _ request: AuthorizationRequest,
        _ secrets: SignInSecrets,
        at server: ServerMetadata
    ) async throws(AuthError) -> OAuthCredential {
        let answer = try await target.backchannel.post(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
                ("code_verifier", secrets.verifier),
            ],
            to: server.tokenEndpoint,
            as: target.authentication(at: server),
            "the tokens"
        )
        guard let tokens = try OpenIDConnect.tokens(in: answer, of: .codeExchange) else {
            throw .malformed("the response to a sign-in")
        }
        return try await target.usableCredential(
            of: tokens,
            asking: request.scopes,
            rawNonce: request.isOpenID ? secrets.rawNonce : nil,
            maxAge: request.maxAge,
            at: server
        )
    }
}

extension BrowserSettings {
    /// The redirect URI to register; it has a port only if the port is fixed.
    fileprivate var registeredAddress: String {
        "http://127.0.0.1\(redirectPort.map { ":\($0)" } ?? "")\(redirectPath)"
    }
}

extension AuthError {
    /// Returns the error with a remedy for servers that show their own page about the redirect URI.
    fileprivate func naming(_ address: String) -> AuthError {
        AuthError(
            code,
            message,
            remedy:
                "Start it again, and finish it in the browser. If the page there refused the redirect URI, register "
                + "\(address) for the client.",
            underlying: underlying
        )
    }
}
