public import DesktopSupport
internal import Dispatch
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
/// tokens only. Without a refresh token, the session ends with the access token, or never if the server gives no
/// lifetime; with one, an access token without a lifetime is refreshed after an hour. The issuer of a session is the
/// server plus the client ID. The clients that apps register (RFC 7591) and the server's metadata (RFC 8414) are kept in
/// the project's record in the keyring, for all apps of the project. A session keeps the client that it began with when
/// another is registered.
///
/// Methods may be called from any task. A session ends by `invalid_grant` to a refresh, or, without a refresh token,
/// when the access token expires, or by the server's statement that it is no longer valid (`invalid_token`, or
/// `active: false`): all are `userTokenExpired`. All other errors leave the user signed in, as those of
/// ``OpenIDConnect/OpenIDConnect`` do.
public final class OAuth2: IdentityProvider {
    /// The issuer of the sessions: `oauth2:` with the URL that names the server, and the client ID as its fragment.
    /// Without the fragment if the app registers its clients: the issuers of their sessions have their IDs.
    public let issuer: String

    let backchannel: Backchannel
    let dependencies: Dependencies
    /// The client secret for a session whose client is read from the record, which has no secret that was given.
    let secret: String?
    private let state: Mutex<State>
    private let cache: MetadataCache

    private struct State {
        /// The app's client; nil until it has been read from the record.
        var client: OAuthClient?
        var place: RecordPlace?
        var kept: KeptSession?
    }

    /// The place of the project's records.
    private struct RecordPlace {
        let store: any RecordStore
        let project: String
        let timeout: Duration

        func records(named name: String) -> OAuthRecords {
            OAuthRecords(named: name, in: store, project: project, timeout: timeout)
        }
    }

    /// The server's metadata, which the identity providers of its clients share.
    private final class MetadataCache: Sendable {
        let document = Mutex(CachedDocument<FoundMetadata>())
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
        (backchannel, cache) = (Backchannel(http: http), MetadataCache())
        state = Mutex(State(client: client))
    }

    /// Creates the identity provider of the sessions of a client that another one's apps have registered.
    private init(_ client: OAuthClient, of other: OAuth2) {
        (issuer, secret, dependencies) = (client.issuer, nil, other.dependencies)
        (backchannel, cache) = (other.backchannel, other.cache)
        state = Mutex(State(client: client, place: other.state.withLock { $0.place }))
    }

    /// Creates the identity provider of a stored session, whose server and client are read from the project's records;
    /// nil if the issuer is not that of a session of this kind.
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
        guard let (url, clientID) = OAuthClient.parts(of: issuer), clientID != nil else { return nil }
        self.init(issuer, nil, secret: secret(url), http: HTTPClient(), Dependencies())
        attach(to: store, project: project, timeout: timeout)
    }

    /// Takes the store in which registrations are kept.
    func attach(to store: any RecordStore, project: String, timeout: Duration) {
        state.withLock { $0.place = RecordPlace(store: store, project: project, timeout: timeout) }
    }

    /// Returns whether a slot of the project may have the session of these tokens.
    func mayBeStored(_ tokens: UserTokens) async -> Bool {
        guard let place = state.withLock({ $0.place }) else { return false }
        return await DispatchQueue(label: "OpenIDConnect.OAuth2").perform {
            StoredSessions(in: place.store, project: place.project).mayContain(tokens, by: .after(place.timeout))
        }
    }

    /// Returns the identity provider of the sessions of a registered client; nil for another issuer, or if the app does
    /// not register its clients.
    func other(ofIssuer issuer: String) -> OAuth2? {
        guard let client = knownClient, case .registered = client.identification,
            let clientID = OAuthClient.parts(of: issuer)?.clientID, client.recorded(as: clientID).issuer == issuer
        else { return nil }
        return OAuth2(client.recorded(as: clientID), of: self)
    }

    /// The reason why the last revocation was skipped; nil if there was none, or if it was not skipped.
    package var keptSession: KeptSession? { state.withLock { $0.kept } }

    func noteKeptSession(_ reason: KeptSession?) { state.withLock { $0.kept = reason } }

    /// The URL that names the server: the issuer URL, or the URL of the token endpoint.
    package var serverURL: String { OAuthClient.parts(of: issuer)?.url ?? issuer }

    /// The app's client, unless it has yet to be read from the record.
    var knownClient: OAuthClient? { state.withLock { $0.client } }

    func know(_ client: OAuthClient) { state.withLock { $0.client = client } }

    /// The record about the server and the client; nil if the app has not been configured with this identity provider.
    var records: OAuthRecords? { records(named: knownClient?.recordName ?? issuer) }

    func records(named name: String) -> OAuthRecords? { state.withLock { $0.place }?.records(named: name) }

    /// The server's metadata while it is fresh.
    var freshMetadata: FoundMetadata? { cache.document.withLock { $0.fresh(at: dependencies.elapsed()) } }

    /// The server's metadata if it is recent enough to use when it cannot be fetched again.
    var lastingMetadata: FoundMetadata? { cache.document.withLock { $0.lasting(at: dependencies.elapsed()) } }

    func keep(_ metadata: FoundMetadata, for freshness: Duration) {
        cache.document.withLock { $0.keep(metadata, for: freshness, at: dependencies.elapsed()) }
    }

    /// The name of the server in a user's `providerData`.
    var providerID: String {
        knownClient?.providerID ?? WebAddress(serverURL)?.host ?? "oauth"
    }
}

extension OAuth2: Redacted {
    /// The type's name and the issuer.
    public var description: String { "OAuth2(\(issuer))" }
    /// Shows the issuer only.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

extension IdentityProviderFactory {
    /// Signs users in at a plain OAuth 2 server. Registrations are kept in the app's own store.
    public static func oauth2(_ identityProvider: OAuth2) -> IdentityProviderFactory {
        var factory = IdentityProviderFactory { context in
            identityProvider.attach(to: context.store, project: context.project, timeout: context.timeout)
            return identityProvider
        }
        factory.makeOther = { identityProvider.other(ofIssuer: $0) }
        return factory
    }
}
