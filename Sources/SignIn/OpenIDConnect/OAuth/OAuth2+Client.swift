package import SharedAuth

extension OAuth2 {
    /// Returns the app's client: the configured one, or the one in the project's records.
    func client() async throws(AuthError) -> OAuthClient {
        if let known = knownClient {
            try known.check()
            return known
        }
        guard let (url, id) = OAuthClient.parts(of: issuer), let id else { throw .malformedIssuer }
        let server = OAuthServer(issuerURL: url)
        let given = OAuthClient(server, .given(clientID: id, secret: secret), [])
        var client = try await stored(given)
        if client == nil { client = try await stored(OAuthClient(server, .recorded(clientID: id), [])) }
        know(client ?? given)
        return client ?? given
    }

    /// Returns a client as its record has it; nil if there is none.
    private func stored(_ client: OAuthClient) async throws(AuthError) -> OAuthClient? {
        guard let record = try await records(named: client.recordName)?.read() else { return nil }
        if case .recorded(let id) = client.identification, record.client(id) == nil { return nil }
        let stored = record.client(client.identification)
        // A record that names another server is not this issuer's.
        return stored.issuer == issuer ? stored : nil
    }

    /// Returns the client's credentials, of the configured or the registered client.
    ///
    /// - Throws: `invalidClientID` if the app has yet to register.
    func authentication(at server: ServerMetadata) async throws(AuthError) -> ClientAuthentication {
        switch try await client().identification {
        case .given(let id, let secret):
            return ClientAuthentication(clientID: id, secret: secret, isInHeader: !server.takesSecretInForm)
        case .recorded(let id):
            // Of a client without a secret, the ID is enough: the record may be lost, or on another device of a fleet.
            return try await records?.read()?.client(id)?.authentication(at: server)
                ?? ClientAuthentication(clientID: id, secret: nil, isInHeader: false)
        case .registered: return try await newestClient().authentication(at: server)
        }
    }

    /// Returns the registered client of the sign-ins.
    private func newestClient() async throws(AuthError) -> RegisteredClient {
        let record = try await records?.read()
        if let client = record?.client(for: ClientNeed(now: dependencies.now())) ?? record?.clients.first {
            return client
        }
        throw AuthError(
            .invalidClientID,
            "This project has no client at \(serverURL): the keyring has no registration. Sign in again."
        )
    }

    /// Returns the identity provider of the session that a credential begins.
    func session(of credential: OAuthCredential) async throws(AuthError) -> OAuth2 {
        let client = try await client()
        guard case .registered = client.identification else { return self }
        let clientID = if let id = credential.clientID { id } else { try await newestClient().id }
        guard let session = other(ofIssuer: client.recorded(as: clientID).issuer) else { throw .malformedIssuer }
        return session
    }

    /// Returns the registered client for a sign-in. Registers one if there is none that meets the need.
    ///
    /// Processes that register at the same time share one registration.
    ///
    /// - Parameter redirectURIs: The redirect URIs to register.
    func registeredClient(
        _ registration: OAuthRegistration,
        redirectURIs: [String],
        for need: ClientNeed,
        at server: ServerMetadata
    ) async throws(AuthError) -> (client: RegisteredClient, isNew: Bool) {
        guard let records else {
            throw AuthError(
                .operationNotAllowed,
                "The app has not been configured with the identity provider of \(serverURL), or has not used it yet.",
                remedy: "Set Options.identityProvider to .oauth2(_:), and sign in with Auth.signIn(with:)."
            )
        }
        if let stored = try await records.read(ifDamaged: .setAside)?.client(for: need) { return (stored, false) }
        let turn = try await records.registrationTurn(within: .seconds(40))
        defer { turn?.release() }
        if let stored = try await records.read(ifDamaged: .setAside)?.client(for: need) { return (stored, false) }
        let client = try await client()
        let new = try await backchannel.register(
            registration,
            redirectURIs: redirectURIs,
            scopes: client.scopes,
            at: server
        )
        let stored = try await records.add(new, of: client, for: need)
        return (stored, stored == new)
    }

    /// Returns the redirect URI of a browser sign-in, which is to be registered at the server; nil if the apps of the
    /// project register themselves. It has no port if any port is accepted.
    ///
    /// - Throws: The errors of fetching the metadata.
    package func redirectAddress(_ browser: BrowserSettings) async throws(AuthError) -> String? {
        guard case .given = try await client().identification else { return nil }
        return browser.redirectAddress(at: try await server())
    }

    /// Notes that the server no longer accepts a registered client, so that the next sign-in registers another one. The
    /// sessions of the refused one keep it.
    func refuse(_ refused: RegisteredClient) async { try? await records?.refuse(refused) }
}
