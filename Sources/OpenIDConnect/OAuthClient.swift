public import FoundationEssentials
public import SharedAuth
public import SharedAuthHTTP

/// An app as a plain OAuth 2 server knows it, such as GitHub, which has no ID tokens and so no session of its own.
///
/// ``OAuthSignIn`` and ``DeviceSignIn`` bring a credential with an access token: for another identity provider that
/// takes it, or for the app itself.
public final class OAuthClient: Sendable {
    /// The name of the server in credentials, such as `github.com`.
    public let providerID: String
    /// The client id that the server gave to the app.
    public let clientID: String
    /// The scopes that a sign-in asks for.
    public let scopes: [String]

    let backchannel: Backchannel
    let dependencies: Dependencies
    private let secret: String?
    private let metadata: ServerMetadata?

    /// Describes an app; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - providerID: the name of the server in credentials.
    ///   - clientID: the client id that the server gave to the app.
    ///   - clientSecret: the client secret, if there is one.
    ///   - scopes: the scopes that a sign-in asks for.
    ///   - authorizationEndpoint: the sign-in page: https, or http on the loopback interface.
    ///   - tokenEndpoint: the endpoint at which codes are exchanged.
    ///   - deviceEndpoint: the endpoint that gives device codes, if the server has one.
    ///   - issuer: the name that the server gives itself in the redirect (RFC 9207), if it does: an answer that names another is refused.
    ///   - http: sends the requests.
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
        /// The name that the server gives itself in the redirect.
        var issuer: String?

        /// The metadata; nil without a token endpoint, or if an endpoint is not protected.
        var metadata: ServerMetadata? {
            let given = [authorization, token, device].compactMap(\.self)
            guard given.allSatisfy({ Self.address(of: $0)?.isProtected == true }),
                let token = Self.address(of: token)
            else { return nil }
            var server = ServerMetadata(authorizationEndpoint: Self.address(of: authorization), tokenEndpoint: token)
            server.deviceEndpoint = Self.address(of: device)
            server.issuerURL = issuer
            server.isLocal = token.isLoopback
            server.takesSecretInForm = true
            return server
        }

        private static func address(of url: URL?) -> WebAddress? { url.flatMap { WebAddress($0.absoluteString) } }
    }

    /// An OAuth app of GitHub's. Sign-in by browser needs its client secret; sign-in by device code does not, once that is
    /// switched on for the app.
    ///
    /// - Parameters:
    ///   - clientID: the client id that GitHub gave to the app.
    ///   - clientSecret: the client secret.
    ///   - scopes: the scopes that a sign-in asks for, such as `read:user`.
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
            throw .malformed("the answer to a sign-in")
        }
        return OAuthCredential(providerID: providerID, accessToken: access, refreshToken: answer.refreshToken)
    }
}

extension OAuthClient: CustomStringConvertible, CustomReflectable {
    /// The server and the client id.
    public var description: String { "OAuthClient(\(providerID), \(clientID))" }
    /// The server and the client id: the secret is not shown.
    public var customMirror: Mirror { Mirror(self, children: ["providerID": providerID, "clientID": clientID]) }
}

/// A sign-in at a plain OAuth 2 server in the person's own browser; it ends as ``OpenIDSignIn`` does.
public struct OAuthSignIn: FederatedAuthProvider {
    private let client: OAuthClient

    /// Settings for the browser.
    public var browser: BrowserSettings

    /// The time that the person may take.
    public var timeout: Duration = .seconds(300)

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - client: the app as the server knows it.
    ///   - browser: settings for the browser.
    public init(_ client: OAuthClient, browser: BrowserSettings = BrowserSettings()) {
        self.client = client
        self.browser = browser
    }

    /// The server at which the person signs in.
    public var providerID: String { client.providerID }

    /// Opens the browser, and waits for the person.
    ///
    /// - Throws: what the documentation of ``OpenIDSignIn`` names.
    public func credential() async throws(AuthError) -> AuthCredential { try await credential {} }

    /// As ``credential()``; the person is done when the browser is back.
    public func credential(personIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        let flow = CodeFlow(target: client, settings: browser, timeout: timeout, personIsDone: personIsDone)
        return OAuthProvider.credential(try await flow.run())
    }
}
