public import DesktopSupport
public import FoundationEssentials

/// The back end of an ``AccessEnabler``: Pass's servers behind one of their interfaces, or a licensed app's own.
///
/// Every call but the first has a ``PassRequest``, which identifies the caller. No call may show a window. A call may
/// be cancelled, and its result is then ignored; a call that takes longer than ``AccessEnabler/Settings/timeout``
/// counts as failed. Only ``profile(_:of:)`` on a second screen is repeated by the caller; a back end repeats any other
/// call itself, for example after its access token expired. After the error ``PassBackendError/Code/throttled`` the
/// next call is made no earlier than one second later. If the server asks for a longer pause, at most a minute is
/// observed, and calls fail in the meantime without a request to the server. Calls may come from any thread, and
/// several at a time.
///
/// Any call may throw `network`, `timedOut`, `server`, `throttled` or `invalidAnswer` if the server fails or cannot be
/// reached, and `invalidRequestor`, `badDomain` or `badRequest` if it refuses the request. Methods list further errors.
///
/// A back end for REST v2 works like this: ``startAuthentication(_:_:)`` creates a session, whose code is the attempt's
/// ``AuthenticationAttempt/id``. ``profile(_:of:)`` requests the profile of that code and creates a token from it with
/// ``AuthenticationToken/init(profileOf:requestor:mvpd:expires:fingerprint:client:)``. ``authorize(_:resource:)``
/// receives the media token with the decision, so ``mediaToken(_:for:)`` requests a decision again. ``profileClients``
/// returns the client that it registered, unless the app signs in as a member of a group.
public protocol PassBackend: Sendable {
    /// The clients whose sign-ins the server accepts from this app, as far as they are currently known. Read at each
    /// access to the store, so it must neither block nor use the network. Optional; the default is
    /// ``ProfileClients/any``.
    ///
    /// A session of any other client is ignored, and left for its app.
    var profileClients: ProfileClients { get }

    /// Registers the app. May return immediately if the app is already registered.
    ///
    /// - Throws: `notRegistered` if the server does not accept the statement, `noAccessToken` if it issues no access
    ///   token.
    func register(_ softwareStatement: String, _ options: ClientOptions) async throws(PassBackendError)

    /// Returns the programmer's configuration, from the request's service provider or the back end's own server.
    func configuration(_ request: PassRequest) async throws(PassBackendError) -> PassConfiguration

    /// Begins a sign-in with the request's TV provider.
    func startAuthentication(
        _ request: PassRequest,
        _ redirectURL: RedirectURL
    ) async throws(PassBackendError) -> AuthenticationStart

    /// Returns the result of a sign-in; nil if it has not ended yet, or has ended without a profile.
    ///
    /// - Throws: `codeExpired` on a second screen, once the code has expired.
    func profile(
        _ request: PassRequest,
        of attempt: AuthenticationAttempt
    ) async throws(PassBackendError) -> AuthenticationProfile?

    /// Signs in with the request's TV provider without a window, using the sign-in of another programmer of the store;
    /// returns nil if that is not possible. Optional.
    func passiveProfile(_ request: PassRequest) async throws(PassBackendError) -> AuthenticationProfile?

    /// Requests the TV provider's authorization for a resource.
    ///
    /// - Throws: `denied`, with the TV provider's message; `deviceMismatch`; `notAuthenticated`; `signedInByOtherApp`.
    func authorize(_ request: PassRequest, resource: String) async throws(PassBackendError) -> AuthorizationAnswer

    /// Returns a new media token for an authorization, as received: base64.
    func mediaToken(
        _ request: PassRequest,
        for authorization: AuthorizationToken
    ) async throws(PassBackendError) -> String

    /// Returns which resources the user may watch.
    ///
    /// - Throws: `tooManyResources`, and any other error that prevents a decision on all of them.
    func preauthorize(
        _ request: PassRequest,
        _ question: PreauthorizeRequest
    ) async throws(PassBackendError) -> [PreauthorizeResponse.Decision]

    /// Returns the TV provider's metadata about the user, or nil: the envelope `updated`, `encrypted`, `data` in JSON.
    func userMetadata(_ request: PassRequest) async throws(PassBackendError) -> Data?

    /// Returns the address of the page that logs the user out at Pass and at the TV provider; nil if there is no page
    /// to show.
    ///
    /// Also called for a log-out on a second screen, so that Pass logs the user out; its page is not shown.
    func logOutURL(_ request: PassRequest, _ redirectURL: RedirectURL) async throws(PassBackendError) -> String?
}

extension PassBackend {
    /// Accepts the sign-ins of all clients.
    public var profileClients: ProfileClients { .any }

    /// Returns nil: passive sign-in is not supported.
    public func passiveProfile(_ request: PassRequest) async throws(PassBackendError) -> AuthenticationProfile? { nil }
}

/// A request to a ``PassBackend``. Its description shows only the programmer and the TV provider.
public struct PassRequest: Sendable, Hashable {
    /// The programmer.
    public let requestor: String
    /// The TV provider (MVPD) of the request, if it concerns one.
    public var mvpd: String?
    /// The server for this TV provider's calls; nil for the back end's own.
    public var serviceProvider: String?
    /// The programmer's domain, from its configuration.
    public var domain: String?
    /// The device's ``DeviceIdentity/fingerprint``.
    public let fingerprint: String
    /// The options set by the app, which apply to every request.
    public let options: ClientOptions
    /// The token that signs the programmer in, if there is one.
    public var token: AuthenticationToken?
    /// Indicates whether the TV provider's page is shown even if the server knows the user: a forced sign-in.
    public var isForced = false
    /// The data that the app passes on to the TV provider.
    public var genericData: [String: String] = [:]
}

extension PassRequest: Redacted {
    /// The programmer and the TV provider.
    public var description: String { "PassRequest(\(requestor), \(mvpd ?? "-"))" }
}
