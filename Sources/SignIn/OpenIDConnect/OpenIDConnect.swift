// Re-exports the browser settings, so that an app imports only this module.
@_exported public import BrowserSignIn
public import DesktopSupport
public import FoundationEssentials
internal import JSONWebSignature
public import SharedAuth
public import SharedAuthHTTP
internal import Synchronization

/// Signs users in at an OpenID provider, such as Keycloak, Google or a company's own.
///
/// One instance serves the whole app: it caches the discovery document and the provider's keys. Set
/// `AuthApp.Options.identityProvider` to `IdentityProviderFactory.openIDConnect(_:)`, and sign in with ``OpenIDSignIn``
/// (in the browser) or ``DeviceSignIn`` (with a code on another device).
///
/// A user's uid is the `sub` of the ID token. The session's ``issuer`` is the issuer URL plus the client ID, so the
/// apps of an access group use one client. ID tokens are checked against the provider's keys, also after the keys
/// change. A refresh replaces the refresh token if the provider rotates it.
///
/// Methods may be called from any task. Only one response ends a session: `invalid_grant` to a refresh without scopes,
/// which is `userTokenExpired`. All other errors leave it signed in: `requiresRecentLogin` if the provider refuses to
/// renew it otherwise, `networkError` if the provider cannot be reached or a web page arrives instead of its response,
/// `outcomeUnknown` if the connection broke after a request that is never repeated, `webInternalError` for an invalid
/// response, `invalidClientID`, `tooManyRequests`.
public final class OpenIDConnect: IdentityProvider {
    /// The app's registration at the OpenID provider.
    public let client: OpenIDClient

    let backchannel: Backchannel
    let dependencies: Dependencies
    private let metadata = Mutex(CachedDocument<ServerMetadata>())
    private let keys = Mutex(CachedDocument<JSONWebKeySet>())
    private let kept = Mutex<KeptSession?>(nil)
    private let refusesAddedScope = Mutex(false)

    /// Creates an identity provider. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - client: The app's registration at the OpenID provider.
    ///   - http: The client that sends the requests.
    ///   - now: The clock.
    public convenience init(
        _ client: OpenIDClient,
        http: HTTPClient = HTTPClient(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(client, http: http, Dependencies(now: now))
    }

    init(_ client: OpenIDClient, http: HTTPClient, _ dependencies: Dependencies) {
        self.client = client
        self.dependencies = dependencies
        backchannel = Backchannel(http: http)
    }

    /// The issuer of the sessions: the issuer URL with the client ID as its fragment.
    public var issuer: String { client.issuer }
}

extension OpenIDConnect {
    /// Returns the metadata in the discovery document, which is fresh for a day. If it cannot be fetched again, the
    /// former one is used for another day.
    func server() async throws(AuthError) -> ServerMetadata {
        try client.check()
        let time = dependencies.elapsed()
        let kept = metadata.withLock { $0.fresh(at: time) }
        if let kept { return kept }
        guard let address = ServerMetadata.address(of: client.issuerURL) else { throw .malformedIssuer }
        do throws(AuthError) {
            let document = try await backchannel.document(at: address, "the discovery document").object
            let found = try ServerMetadata(document, of: client)
            metadata.withLock { $0.keep(found, for: .seconds(86400), at: time) }
            return found
        } catch {
            guard let old = metadata.withLock({ $0.lasting(at: time) }) else { throw error }
            return old
        }
    }

    /// Fetches the discovery document, for a tool that checks whether the provider can be reached. Returns the time by
    /// the provider's clock, if the response has it.
    ///
    /// - Throws: The errors of a sign-in.
    package func serverDate() async throws(AuthError) -> Date? {
        try client.check()
        guard let address = ServerMetadata.address(of: client.issuerURL) else { throw .malformedIssuer }
        let (document, response) = try await backchannel.document(at: address, "the discovery document")
        _ = try ServerMetadata(document, of: client)
        return response.date
    }

    /// Checks an ID token and its signature.
    ///
    /// - Throws: `malformedJWT`; the errors of ``SignatureRules`` and ``IDTokenRules``; the errors of fetching the keys.
    func checked(
        _ text: String,
        with accessToken: String?,
        on occasion: IDTokenRules.Occasion,
        at server: ServerMetadata
    ) async throws(AuthError) -> IDToken {
        let token = try IDToken(text)
        let algorithm = try SignatureRules.algorithm(of: token, among: server.signingAlgorithms)
        let issuerURL = try client.issuerName.issuerURL(of: token)
        // A provider with many tenants may have keys that sign for one of them.
        let names = client.issuerName.isTemplate ? [issuerURL, client.issuerName.text] : nil
        let isIssuer = { names?.contains($0) ?? true }
        var keys = try await keySet(for: token, algorithm, at: server)
        if !keys.keys(of: isIssuer).hasSigner(of: token.signed, algorithm) {
            // The provider may have a new key, also under the ID of an old one.
            keys = try await keySet(for: token, algorithm, at: server, besides: keys)
            guard keys.keys(of: isIssuer).hasSigner(of: token.signed, algorithm) else {
                throw SignatureRules.refusal(of: token, algorithm, by: keys.keys(of: isIssuer))
            }
        }
        try IDTokenRules(issuerURL: issuerURL, clientID: client.clientID)
            .check(token, with: accessToken, on: occasion, now: dependencies.now())
        return token
    }

    /// Returns the provider's keys. Fetches them if none are fresh.
    ///
    /// - Parameter wrong: The keys of which none signed the token: they are fetched again, at most once a minute.
    private func keySet(
        for token: IDToken,
        _ algorithm: SignatureAlgorithm,
        at server: ServerMetadata,
        besides wrong: JSONWebKeySet? = nil
    ) async throws(AuthError) -> JSONWebKeySet {
        let time = dependencies.elapsed()
        if let kept = keys.withLock({ $0.fresh(at: time) }) {
            guard kept == wrong, keys.withLock({ $0.takeMiss(at: time) }) else { return kept }
        }
        do throws(AuthError) {
            guard let address = server.keysAddress else { throw .malformed("the list of keys") }
            let (fetched, response) = try await backchannel.keySet(at: address)
            let freshness = Freshness.of(cacheControl: response.headers["Cache-Control"])
            keys.withLock { $0.keep(fetched, for: freshness, at: time) }
            return fetched
        } catch {
            // If no newer keys can be fetched, the old ones remain valid for a day.
            guard let old = keys.withLock({ $0.lasting(at: time) }), !old.keys(for: token.signed, algorithm).isEmpty
            else { throw error }
            return old
        }
    }

    /// Returns the identity provider of the accounts of a tenant that the client's template includes; nil for another
    /// issuer.
    package func tenant(ofIssuer issuer: String) -> (any IdentityProvider)? {
        client.tenant(ofIssuer: issuer).map { OpenIDConnect($0, http: backchannel.http, dependencies) }
    }

    /// Returns this client's credentials.
    func authentication(at server: ServerMetadata) -> ClientAuthentication {
        ClientAuthentication(
            clientID: client.clientID,
            secret: client.clientSecret,
            isInHeader: !server.takesSecretInForm
        )
    }
}

extension OpenIDConnect {
    /// The reason why the last revocation was skipped; nil if there was none, or if it was not skipped.
    package var keptSession: KeptSession? { kept.withLock { $0 } }

    func addedScope(at server: ServerMetadata) -> String? {
        let scope = AddedScope.offlineAccess
        let isWanted = client.addsOfflineAccess && !client.scopes.contains(scope)
        guard isWanted, server.supportedScopes?.contains(scope) == true else { return nil }
        return hasRefusedAddedScope ? nil : scope
    }

    /// Indicates whether the provider may have refused the scope `offline_access`, which was added.
    package var hasRefusedAddedScope: Bool { refusesAddedScope.withLock { $0 } }

    func noteRefusalOfAddedScope() { refusesAddedScope.withLock { $0 = true } }

    func noteKeptSession(_ reason: KeptSession?) { kept.withLock { $0 = reason } }

    /// Checks parameters that an app adds to sign-ins.
    ///
    /// - Throws: `operationNotAllowed` if SharedAuth sets one of them.
    package static func check(_ parameters: [String: String]) throws(AuthError) { _ = try SignInParameters(parameters) }

    /// Returns the redirect URI of a browser sign-in, which is to be registered at the provider. It has no port if any
    /// port is accepted.
    ///
    /// - Throws: The errors of fetching the discovery document.
    package func redirectAddress(_ browser: BrowserSettings) async throws(AuthError) -> String {
        Self.redirectAddress(browser, of: client, namingItself: try await server().namesIssuer)
    }

    /// Returns the redirect URI for a provider whose `namesIssuer` is known.
    package static func redirectAddress(
        _ browser: BrowserSettings,
        of client: OpenIDClient,
        namingItself namesIssuer: Bool
    ) -> String {
        browser.separating(client.issuerName.text, namesItself: namesIssuer).registeredAddress
    }
}

extension OpenIDConnect: Redacted {
    /// The type's name and the issuer.
    public var description: String { "OpenIDConnect(\(issuer))" }
    /// Shows the issuer only.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

extension IdentityProviderFactory {
    /// Signs users in at an OpenID provider.
    public static func openIDConnect(_ identityProvider: OpenIDConnect) -> IdentityProviderFactory {
        var factory = IdentityProviderFactory { _ in identityProvider }
        factory.makeOther = identityProvider.tenant(ofIssuer:)
        return factory
    }

    /// Signs users in at the OpenID provider of a client, using the app's own clock.
    public static func openIDConnect(_ client: OpenIDClient) -> IdentityProviderFactory {
        var factory = IdentityProviderFactory { OpenIDConnect(client, now: $0.now) }
        factory.makeOther = OpenIDConnect(client).tenant(ofIssuer:)
        return factory
    }
}
