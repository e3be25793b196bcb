public import FoundationEssentials
public import SharedAuth
public import SharedAuthHTTP
internal import Synchronization

/// Signs users in at a plain OAuth 2 server, which issues no ID tokens, such as a code host's or a feed service's.
///
/// One instance serves the whole app. Set `AuthApp.Options.identityProvider` to `IdentityProviderFactory.oauth2(_:)`,
/// and sign in with ``OAuthSignIn`` (in the browser) or ``DeviceSignIn`` (with a code on another device).
///
/// A user's uid is what the server says about the holder of the access token: see ``OAuthUser``. The session has access
/// tokens only. If the server gives no lifetime, they do not expire and are never refreshed; if it gives no refresh
/// token, the session ends with the access token. The session's ``issuer`` is the server plus the client ID, so the
/// apps of an access group use one client. A client that the app registers (RFC 7591) and the server's metadata (RFC
/// 8414) are kept in the project's record in the keyring, for all apps of the project.
///
/// Methods may be called from any task. A session ends by `invalid_grant` to a refresh, or, without a refresh token, by
/// the server's statement that the access token is no longer valid (`invalid_token`, or `active: false`): both are
/// `userTokenExpired`. All other errors leave the user signed in, as those of ``OpenIDConnect/OpenIDConnect`` do.
public final class OAuth2: IdentityProvider {
    /// The issuer of the sessions: `oauth2:` with the URL that names the server, and the client ID as its fragment,
    /// unless the apps of the project register the client themselves.
    public let issuer: String

    let backchannel: Backchannel
    let dependencies: Dependencies
    /// The client secret for a session whose client is read from the record, which has no secret that was given.
    private let secret: String?
    private let state: Mutex<State>

    private struct State {
        /// The app's client; nil until it has been read from the record.
        var client: OAuthClient?
        var records: OAuthRecords?
        var metadata = CachedDocument<FoundMetadata>()
        var kept: OpenIDConnect.KeptSession?
    }

    /// Creates an identity provider. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - client: The app's client at the server.
    ///   - http: The client that sends the requests.
    ///   - now: The clock.
    public convenience init(
        _ client: OAuthClient,
        http: HTTPClient = HTTPClient(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(client.issuer, client, http: http, Dependencies(now: now))
    }

    init(
        _ issuer: String,
        _ client: OAuthClient?,
        secret: String? = nil,
        http: HTTPClient,
        _ dependencies: Dependencies
    ) {
        (self.issuer, self.secret, self.dependencies) = (issuer, secret, dependencies)
        backchannel = Backchannel(http: http)
        state = Mutex(State(client: client))
    }

    /// Creates the identity provider of a stored session, whose server and client are read from the project's record;
    /// nil if the issuer is not of this kind.
    ///
    /// - Parameter secret: Returns the secret of a client that was registered by hand, by the URL that names the
    ///   server.
    package convenience init?(
        issuer: String,
        in store: any RecordStore,
        project: String,
        timeout: Duration = .seconds(5),
        secret: (_ serverURL: String) -> String? = { _ in nil }
    ) {
        guard let (url, clientID) = OAuthClient.parts(of: issuer) else { return nil }
        self.init(
            issuer,
            nil,
            secret: clientID == nil ? nil : secret(url),
            http: HTTPClient(),
            Dependencies()
        )
        attach(to: store, project: project, timeout: timeout)
    }

    /// Takes the store in which registrations are kept.
    func attach(to store: any RecordStore, project: String, timeout: Duration) {
        let records = OAuthRecords(of: issuer, in: store, project: project, timeout: timeout)
        state.withLock { $0.records = records }
    }

    /// The reason why the last revocation was skipped; nil if there was none, or if it was not skipped.
    package var keptSession: OpenIDConnect.KeptSession? { state.withLock { $0.kept } }

    func noteKeptSession(_ reason: OpenIDConnect.KeptSession?) { state.withLock { $0.kept = reason } }

    /// The URL that names the server: the issuer URL, or the URL of the token endpoint.
    package var serverURL: String { OAuthClient.parts(of: issuer)?.url ?? issuer }

    var records: OAuthRecords? { state.withLock { $0.records } }

    /// The server's metadata while it is fresh.
    var freshMetadata: FoundMetadata? { state.withLock { $0.metadata.fresh(at: dependencies.elapsed()) } }

    /// The server's metadata if it is recent enough to use when it cannot be fetched again.
    var lastingMetadata: FoundMetadata? { state.withLock { $0.metadata.lasting(at: dependencies.elapsed()) } }

    func keep(_ metadata: FoundMetadata, for freshness: Duration) {
        state.withLock { $0.metadata.keep(metadata, for: freshness, at: dependencies.elapsed()) }
    }

    /// The name of the server in a user's `providerData`.
    var providerID: String {
        state.withLock { $0.client?.providerID } ?? WebAddress(serverURL)?.host ?? "oauth"
    }
}

extension OAuth2 {
    /// Returns the app's client: the configured one, or the one in the project's record.
    func client() async throws(AuthError) -> OAuthClient {
        if let known = state.withLock({ $0.client }) {
            try known.check()
            return known
        }
        guard let (url, clientID) = OAuthClient.parts(of: issuer) else { throw .malformedIssuer }
        let identification: OAuthClient.Identification =
            clientID.map { .given(clientID: $0, secret: secret) } ?? .registered(OAuthRegistration(clientName: ""))
        let stored = try await records?.read()?.client(identification)
        // A record that names another server is not this issuer's.
        let client =
            stored.flatMap { $0.issuer == issuer ? $0 : nil }
            ?? OAuthClient(OAuthServer(issuerURL: url), identification, [])
        state.withLock { $0.client = client }
        return client
    }

    /// Returns the client's credentials, of the configured or the registered client.
    ///
    /// - Throws: `invalidClientID` if the app has yet to register.
    func authentication(at server: ServerMetadata) async throws(AuthError) -> ClientAuthentication {
        if case .given(let clientID, let secret) = try await client().identification {
            return ClientAuthentication(clientID: clientID, secret: secret, isInHeader: !server.takesSecretInForm)
        }
        // Another process may have registered another client meanwhile.
        guard let stored = try await records?.read()?.client else {
            throw AuthError(
                .invalidClientID,
                "This project has no client at \(serverURL): the keyring has no registration. Sign in again."
            )
        }
        return stored.authentication(at: server)
    }

    /// Returns the registered client for a sign-in. Registers one if there is none, or if its secret has expired.
    ///
    /// Processes that register at the same time share one registration.
    ///
    /// - Parameter redirectURIs: The redirect URIs to register if the registration names none.
    func registeredClient(
        _ registration: OAuthRegistration,
        redirectURIs: [String],
        at server: ServerMetadata
    ) async throws(AuthError) -> (client: RegisteredClient, isNew: Bool) {
        guard let records else {
            throw AuthError(
                .operationNotAllowed,
                "An app registers through its identity provider. Set Options.identityProvider to .oauth2(_:)."
            )
        }
        var stored = try await records.read(ifDamaged: .setAside)?.client
        var isNew = false
        if stored?.isUsable(at: dependencies.now()) != true {
            let refused = stored
            let turn = try await records.registrationTurn(within: .seconds(40))
            defer { turn?.release() }
            stored = try await records.read(ifDamaged: .setAside)?.client
            if stored == nil || stored == refused {
                let client = try await client()
                let new = try await backchannel.register(
                    registration,
                    redirectURIs: registration.redirectURIs ?? redirectURIs,
                    scopes: client.scopes,
                    at: server
                )
                stored = try await records.replace(refused, with: new, of: client)
                isNew = true
            }
        }
        guard let stored else { throw .malformed("the registration of the app") }
        return (stored, isNew)
    }

    /// Returns the redirect URI of a browser sign-in, which is to be registered at the server; nil if the apps of the
    /// project register themselves. It has no port if any port is accepted.
    ///
    /// - Throws: The errors of fetching the metadata.
    package func redirectAddress(_ browser: BrowserSettings) async throws(AuthError) -> String? {
        guard case .given = try await client().identification else { return nil }
        return browser.redirectAddress(at: try await server())
    }

    /// Forgets a registered client that the server no longer accepts, so that the next sign-in registers another one.
    func forget(_ refused: RegisteredClient) async { try? await records?.forget(refused) }
}

extension OAuth2: CustomStringConvertible, CustomReflectable {
    /// The type's name and the issuer.
    public var description: String { "OAuth2(\(issuer))" }
    /// Shows the issuer only.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

extension IdentityProviderFactory {
    /// Signs users in at a plain OAuth 2 server. Registrations are kept in the app's own store.
    public static func oauth2(_ identityProvider: OAuth2) -> IdentityProviderFactory {
        IdentityProviderFactory { context in
            identityProvider.attach(to: context.store, project: context.project, timeout: context.timeout)
            return identityProvider
        }
    }
}
