// Its settings for the browser are public here, so that an app imports this module alone.
@_exported public import BrowserSignIn
public import FoundationEssentials
public import SharedAuth
public import SharedAuthHTTP
internal import Synchronization

/// Signs users in at an OpenID provider, such as Keycloak, Google or a company's own.
///
/// One instance serves the whole app: it keeps what discovery said, and the provider's keys. Give it to
/// `AuthApp.Options.identityProvider` by `IdentityProviderFactory.openIDConnect(_:)`, and sign in with
/// ``OpenIDSignIn`` (by browser) or ``DeviceSignIn`` (with a code on another device).
///
/// A user's uid is the `sub` of the ID token. The session's ``issuer`` is the issuer URL plus the client id, so apps of an access
/// group use one client. ID tokens are checked against the provider's keys, also when they change; a refresh replaces the refresh
/// token where the provider does.
///
/// Methods may be called from any task. A session ends for one answer alone: `invalid_grant` to a refresh, which is
/// `userTokenExpired`. Everything else leaves it: `networkError` if the provider cannot be reached or a page comes in the place
/// of its answer, `outcomeUnknown` if the connection broke after a request that is never repeated, `webInternalError` for an
/// answer that makes no sense, `invalidClientID`, `tooManyRequests`.
public final class OpenIDConnect: IdentityProvider {
    /// The app as the OpenID provider knows it.
    public let client: OpenIDClient

    let backchannel: Backchannel
    let dependencies: Dependencies
    private let metadata = Mutex(CachedDocument<ServerMetadata>())
    private let keys = Mutex(CachedDocument<KeySet>())
    private let kept = Mutex<KeptSession?>(nil)

    /// Makes an identity provider; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - client: the app as the OpenID provider knows it.
    ///   - http: sends the requests.
    ///   - now: the clock.
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

    /// The issuer of the sessions: the issuer URL, and the client id as its fragment.
    public var issuer: String { client.issuer }
}

extension OpenIDConnect {
    /// Returns the discovery document, which is fetched once a day at most.
    func server() async throws(AuthError) -> ServerMetadata {
        try client.check()
        let time = dependencies.elapsed()
        let kept = metadata.withLock { $0.fresh(at: time) }
        if let kept { return kept }
        guard let address = ServerMetadata.address(of: client.issuerURL) else { throw .malformed("the issuer URL") }
        do throws(AuthError) {
            let document = try await backchannel.document(at: address, "the discovery document").object
            let found = try ServerMetadata(document, of: client.issuerURL)
            metadata.withLock { $0.keep(found, for: .seconds(86400), at: time) }
            return found
        } catch {
            guard let old = metadata.withLock({ $0.lasting(at: time) }) else { throw error }
            return old
        }
    }

    /// Asks for the discovery document, for a tool that looks whether the provider is there; the time by the provider's clock, if
    /// it says.
    ///
    /// - Throws: as a sign-in.
    package func serverDate() async throws(AuthError) -> Date? {
        try client.check()
        guard let address = ServerMetadata.address(of: client.issuerURL) else { throw .malformed("the issuer URL") }
        let (document, response) = try await backchannel.document(at: address, "the discovery document")
        _ = try ServerMetadata(document, of: client.issuerURL)
        return response.date
    }

    /// Checks an ID token and its signature.
    ///
    /// - Throws: `malformedJWT`, and as ``IDTokenRules``; what keeps the keys from being fetched.
    func checked(
        _ text: String,
        with accessToken: String?,
        on occasion: IDTokenRules.Occasion,
        at server: ServerMetadata
    ) async throws(AuthError) -> IDToken {
        let token = try IDToken(text)
        let algorithm = try IDTokenRules.algorithm(of: token, among: server.signingAlgorithms)
        let keys = try await keys(for: token, algorithm, at: server)
        if await !KeySet.verify(token, algorithm, with: keys) {
            // The provider may have given a new key the name of an old one.
            let others = try await self.keys(for: token, algorithm, at: server, besides: keys)
            guard others != keys, await KeySet.verify(token, algorithm, with: others) else {
                throw IDTokenRules.refused("is not signed with a key of this issuer")
            }
        }
        try IDTokenRules(issuerURL: client.issuerURL, clientID: client.clientID)
            .check(token, with: accessToken, on: occasion, now: dependencies.now())
        return token
    }

    /// The keys that may have signed a token. If none may, the provider may have new ones.
    ///
    /// - Parameter wrong: those that did not.
    private func keys(
        for token: IDToken,
        _ algorithm: SigningAlgorithm,
        at server: ServerMetadata,
        besides wrong: [KeySet.Key] = []
    ) async throws(AuthError) -> [KeySet.Key] {
        let time = dependencies.elapsed()
        let kept = keys.withLock { $0.fresh(at: time) }
        if let found = kept?.keys(for: token, algorithm), !found.isEmpty, found != wrong { return found }
        // A set that is not there, or not fresh, is fetched in any case.
        guard kept == nil || keys.withLock({ $0.takeMiss(at: time) }) else { return [] }
        do throws(AuthError) {
            guard let address = server.keysAddress else { throw .malformed("the list of keys") }
            let (document, response) = try await backchannel.document(at: address, "the list of keys")
            guard let fetched = KeySet(document) else { throw .malformed("the list of keys") }
            let freshness = Freshness.of(cacheControl: response.headers["Cache-Control"])
            keys.withLock { $0.keep(fetched, for: freshness, at: time) }
            return fetched.keys(for: token, algorithm)
        } catch {
            // Old keys are good for a day in which no newer ones can be had.
            let old = keys.withLock { $0.lasting(at: time) }?.keys(for: token, algorithm) ?? []
            guard !old.isEmpty else { throw error }
            return old
        }
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
    /// Why the provider was not asked to end a session.
    package enum KeptSession: Sendable {
        /// It has no endpoint for that.
        case notOffered
        /// It takes that from clients with a secret alone, and this one has none.
        case notToPublicClients
    }

    /// Why the provider was not asked to end the last session that was to be revoked; nil if it was, or there was none.
    package var keptSession: KeptSession? { kept.withLock { $0 } }

    func noteKeptSession(_ reason: KeptSession) { kept.withLock { $0 = reason } }

    /// The redirect address that a sign-in by browser has, without a port where any is taken: what to register at the provider.
    ///
    /// - Throws: what keeps discovery from being fetched.
    package func redirectAddress(_ browser: BrowserSettings) async throws(AuthError) -> String {
        Self.redirectAddress(browser, of: client.issuerURL, namingItself: try await server().namesIssuer)
    }

    /// The same, of a provider of which it is known whether its redirects name it.
    package static func redirectAddress(
        _ browser: BrowserSettings,
        of issuerURL: String,
        namingItself namesIssuer: Bool
    ) -> String {
        let path = browser.separating(issuerURL, namesItself: namesIssuer).redirectPath
        return "http://127.0.0.1\(browser.redirectPort.map { ":\($0)" } ?? "")\(path)"
    }
}

extension OpenIDConnect: CustomStringConvertible, CustomReflectable {
    /// The issuer.
    public var description: String { "OpenIDConnect(\(issuer))" }
    /// The issuer alone.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

extension IdentityProviderFactory {
    /// An OpenID provider.
    public static func openIDConnect(_ identityProvider: OpenIDConnect) -> IdentityProviderFactory {
        IdentityProviderFactory { _ in identityProvider }
    }

    /// The OpenID provider of a client, by the app's own clock.
    public static func openIDConnect(_ client: OpenIDClient) -> IdentityProviderFactory {
        IdentityProviderFactory { OpenIDConnect(client, now: $0.now) }
    }
}
