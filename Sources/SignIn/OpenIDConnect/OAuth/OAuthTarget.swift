internal import SharedAuth

extension OAuth2: SignInService {
    func target(for browser: BrowserSettings?) async throws(AuthError) -> any SignInTarget {
        let (client, server) = (try await client(), try await server(toSignIn: true))
        // Before an app registers in vain.
        if browser != nil, server.authorizationEndpoint == nil {
            throw AuthError(
                .operationNotAllowed,
                "The server \(serverURL) has no authorization_endpoint, the page where users sign in.",
                remedy: "Sign in with DeviceSignIn, or give the endpoint if the server has one."
            )
        }
        if browser == nil, server.deviceEndpoint == nil { throw .withoutDeviceCodes }
        guard case .registered(let registration) = client.identification else {
            return OAuthTarget(self, client, server, try await authentication(at: server), registered: nil)
        }
        // Another app of the project may sign in with the browser, so its address is registered in any case.
        let usual = BrowserSettings().redirectAddress(at: server)
        let wanted = browser.map { [$0.redirectAddress(at: server)] } ?? []
        let grantType = browser == nil ? DeviceFlow.grantType : CodeFlow.grantType
        let need = ClientNeed(
            redirectURIs: registration.redirectURIs ?? wanted,
            grantType: registration.grantTypes(at: server).contains(grantType) ? grantType : nil,
            now: dependencies.now()
        )
        let (registered, isNew) = try await registeredClient(
            registration,
            redirectURIs: registration.redirectURIs ?? (wanted.contains(usual) ? wanted : wanted + [usual]),
            for: need,
            at: server
        )
        guard let session = other(ofIssuer: client.recorded(as: registered.id).issuer) else { throw .malformedIssuer }
        return OAuthTarget(
            session,
            client,
            server,
            registered.authentication(at: server),
            registered: isNew ? nil : registered
        )
    }

    func discard(_ credential: AuthCredential) async {
        guard case .oauth(let content) = credential.content, let tokens = credential.content.tokens,
            let session = try? await session(of: content)
        else { return }
        await session.discard(tokens)
    }
}

/// A sign-in's view of a plain OAuth 2 server, with the client to sign in with.
struct OAuthTarget: SignInTarget {
    private let identityProvider: OAuth2
    private let client: OAuthClient
    private let metadata: ServerMetadata
    private let authentication: ClientAuthentication
    /// The registered client, unless this sign-in has registered it.
    private let registered: RegisteredClient?

    init(
        _ identityProvider: OAuth2,
        _ client: OAuthClient,
        _ metadata: ServerMetadata,
        _ authentication: ClientAuthentication,
        registered: RegisteredClient?
    ) {
        (self.identityProvider, self.client, self.metadata) = (identityProvider, client, metadata)
        (self.authentication, self.registered) = (authentication, registered)
    }

    var providerID: String { client.providerID }
    var clientID: String { authentication.clientID }
    var isOpenID: Bool { false }
    var backchannel: Backchannel { identityProvider.backchannel }
    var dependencies: Dependencies { identityProvider.dependencies }
    var resources: [String] { client.resources }

    func server() async throws(AuthError) -> ServerMetadata { metadata }

    func scopes(at server: ServerMetadata) -> [String] { client.scopes }

    func authentication(at server: ServerMetadata) -> ClientAuthentication { authentication }

    func credential(
        of answer: TokenAnswer,
        asking scopes: [String],
        rawNonce: String?,
        maxAge: Int?,
        at server: ServerMetadata
    ) async throws(AuthError) -> OAuthCredential {
        let otherwise = answer.refreshToken.map { _ in OAuth2.usualLifetime }
        guard let access = answer.access(asked: scopes, now: dependencies.now(), otherwise: otherwise) else {
            throw .malformed("the response to a sign-in")
        }
        return OAuthCredential(
            providerID: providerID,
            accessToken: access,
            refreshToken: answer.refreshToken,
            pendingToken: nil,
            clientID: clientID
        )
    }

    func discard(_ tokens: UserTokens) async { await identityProvider.discard(tokens) }

    func ended(by error: AuthError) async {
        guard let registered, (error.underlying as? ServerRefusal)?.isOfUnknownClient == true else { return }
        await identityProvider.refuse(registered)
    }
}

extension BrowserSettings {
    /// Returns the redirect URI to register with a server.
    func redirectAddress(at server: ServerMetadata) -> String {
        separating(server.redirectName, namesItself: server.namesIssuer).registeredAddress
    }
}

extension ServerMetadata {
    /// The name from which the redirect path of this server is derived.
    var redirectName: String { issuer?.text ?? authorizationEndpoint?.text ?? "" }
}
