public import FoundationEssentials
public import SharedAuth
public import SharedAuthHTTP

/// An app's registration at a plain OAuth 2 server, such as GitHub, which issues no ID tokens and so has no sessions of
/// SharedAuth.
///
/// ``OAuthSignIn`` and ``DeviceSignIn`` return a credential with an access token, for another identity provider that
/// accepts it or for the app itself.
public final class OAuthClient: Sendable {
    /// The name of the server in credentials, such as `github.com`.
    public let providerID: String
    /// The client ID that the server assigned to the app.
    public let clientID: String
    /// The scopes that a sign-in requests.
    public let scopes: [String]

    let backchannel: Backchannel
    let dependencies: Dependencies
    private let secret: String?
    private let metadata: ServerMetadata?

    /// Creates a client. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - providerID: The name of the server in credentials.
    ///   - clientID: The client ID that the server assigned to the app.
    ///   - clientSecret: The client secret, if there is one.
    ///   - scopes: The scopes that a sign-in requests.
    ///   - authorizationEndpoint: The sign-in page: HTTPS, or HTTP on the loopback interface.
    ///   - tokenEndpoint: The endpoint that exchanges codes for tokens.
    ///   - deviceEndpoint: The endpoint that issues device codes, if the server has one.
    ///   - issuer: The server's name of itself in the redirect (RFC 9207), if it sends one: a redirect from another
    ///     issuer is refused.
    ///   - http: The client that sends the requests.
    public convenience init(
        providerID: String,
        clientID: String,
        clientSecret: String? = nil,
        scopes: [String] = [],
        authorizationEndpoint: URL,
        tokenEndpoint: URL,
        deviceEndpoint: URL? = nil,
        issuer: String? = nil,
        http: HTTPClient = HTTPClient()
    ) {
        let endpoints = Endpoints(
            authorization: authorizationEndpoint,
            token: tokenEndpoint,
            device: deviceEndpoint,
            issuer: issuer
        )
        self.init(
            providerID: providerID,
            clientID: clientID,
            clientSecret: clientSecret,
            scopes: scopes,
            endpoints: endpoints,
            http: http
        )
    }

    init(
        providerID: String,
        clientID: String,
        clientSecret: String?,
        scopes: [String],
        endpoints: Endpoints,
        http: HTTPClient = HTTPClient(),
        dependencies: Dependencies = Dependencies()
    ) {
        (self.providerID, self.clientID, secret, self.scopes) = (providerID, clientID, clientSecret, scopes)
        (backchannel, self.dependencies) = (Backchannel(http: http), dependencies)
        metadata = endpoints.metadata
    }

    /// The endpoints of a server that publishes no metadata.
    struct Endpoints: Sendable {
        var authorization: URL?
        var token: URL?
        var device: URL?
        /// The server's name of itself in the redirect.
        var issuer: String?

        /// The metadata; nil without a token endpoint, or if an endpoint is neither HTTPS nor loopback.
        var metadata: ServerMetadata? {
            let given = [authorization, token, device].compactMap(\.self)
            guard given.allSatisfy({ Self.address(of: $0)?.isProtected == true }),
                let token = Self.address(of: token)
            else { return nil }
            var server = ServerMetadata(authorizationEndpoint: Self.address(of: authorization), tokenEndpoint: token)
            server.deviceEndpoint = Self.address(of: device)
            server.issuer = issuer.map { IssuerName(text: $0) }
            server.isLocal = token.isLoopback
            server.takesSecretInForm = true
            return server
        }

        private static func address(of url: URL?) -> WebAddress? { url.flatMap { WebAddress($0.absoluteString) } }
    }

    /// Creates a client for an OAuth app of GitHub. Browser sign-in needs its client secret; device code sign-in does
    /// not, if the app has it enabled.
    ///
    /// - Parameters:
    ///   - clientID: The client ID that GitHub assigned to the app.
    ///   - clientSecret: The client secret.
    ///   - scopes: The scopes that a sign-in requests, such as `read:user`.
    public static func gitHub(
        clientID: String,
        clientSecret: String? = nil,
        scopes: [String] = ["read:user"]
    ) -> OAuthClient {
        let base = "https://github.com/login"
        return OAuthClient(
            providerID: "github.com",
            clientID: clientID,
            clientSecret: clientSecret,
            scopes: scopes,
            endpoints: Endpoints(
                authorization: URL(string: "\(base)/oauth/authorize"),
                token: URL(string: "\(base)/oauth/access_token"),
                device: URL(string: "\(base)/device/code")
            )
        )
    }
}

extension OAuthClient: SignInTarget {
    var isOpenID: Bool { false }

    func server() async throws(AuthError) -> ServerMetadata {
        if let metadata { return metadata }
        throw AuthError(
            .operationNotAllowed,
            "An endpoint of \(providerID) is not an https URL. Use https; plain HTTP is allowed only for loopback addresses."
        )
    }

    func scopes(at server: ServerMetadata) -> [String] { scopes }

    func authentication(at server: ServerMetadata) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, secret: secret, isInHeader: false)
    }

    func credential(
        of answer: TokenAnswer,
        asking scopes: [String],
        rawNonce: String?,
        maxAge: Int?,
        at server: ServerMetadata
    ) async throws(AuthError) -> OAuthCredential {
        guard let access = answer.access(asked: scopes, now: dependencies.now(), otherwise: nil) else {
            throw .malformed("the response to a sign-in")
        }
        return OAuthCredential(providerID: providerID, accessToken: access, refreshToken: answer.refreshToken)
    }
}

extension OAuthClient {
    /// Does nothing: plain OAuth 2 servers are not asked for a revocation endpoint.
    func discard(_ tokens: UserTokens) async {}
}

extension OAuthClient: CustomStringConvertible, CustomReflectable {
    /// The server and the client ID.
    public var description: String { "OAuthClient(\(providerID), \(clientID))" }
    /// Shows the server and the client ID, but not the secret.
    public var customMirror: Mirror { Mirror(self, children: ["providerID": providerID, "clientID": clientID]) }
}

/// A sign-in at a plain OAuth 2 server in the user's own browser. It throws the same errors as ``OpenIDSignIn``.
public struct OAuthSignIn: FederatedAuthProvider {
    private let client: OAuthClient

    /// The browser settings.
    public var browser: BrowserSettings

    /// The time limit for the user.
    public var timeout: Duration = .seconds(300)

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - client: The app's registration at the server.
    ///   - browser: The browser settings.
    public init(_ client: OAuthClient, browser: BrowserSettings = BrowserSettings()) {
        self.client = client
        self.browser = browser
    }

    /// The server at which the user signs in.
    public var providerID: String { client.providerID }

    /// Opens the browser and waits for the user.
    ///
    /// - Throws: The errors that ``OpenIDSignIn`` lists.
    public func credential() async throws(AuthError) -> AuthCredential { try await credential {} }

    /// Returns the same as ``credential()``, and calls `userIsDone` when the browser has been redirected.
    public func credential(userIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        let flow = CodeFlow(target: client, settings: browser, timeout: timeout, userIsDone: userIsDone)
        return OAuthProvider.credential(try await flow.run())
    }

    /// Passes on the redirect of a running sign-in by hand. See ``BrowserSettings/handle(redirect:)``.
    ///
    /// - Throws: The errors of ``BrowserSettings/handle(redirect:)``.
    public func handle(redirect address: String) throws(AuthError) { try browser.handle(redirect: address) }
}
