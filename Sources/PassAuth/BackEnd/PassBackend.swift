public import FoundationEssentials

/// Answers an ``AccessEnabler``: Pass's servers behind one of their interfaces, or a licensed app's own.
///
/// Every call but the first has a ``PassRequest``, which says who asks. None of them may show a window. A call may be
/// cancelled, and its answer is then not used; one that takes longer than ``AccessEnabler/Settings/timeout`` counts as
/// failed. Only ``profile(_:of:)`` on a second screen is repeated; a back end repeats any other call itself, such as one whose
/// access token had expired. After an answer ``PassBackendError/Code/throttled`` the next call comes a second later at the
/// earliest; if the server asked for more, up to a minute, calls until then fail without asking it. Calls may come from any thread, and several at a time.
///
/// Every call throws `network`, `timedOut`, `server`, `throttled` or `invalidAnswer` if the server is in the way, and `invalidRequestor`,
/// `badDomain` or `badRequest` if it does not take the request; what else it throws is said with it.
///
/// A back end for REST v2 works like this: ``startAuthentication(_:_:)`` makes a session, whose code is the attempt's
/// ``AuthenticationAttempt/id``; ``profile(_:of:)`` asks for the profile of that code, and makes a token of it with
/// ``AuthenticationToken/init(profileOf:requestor:mvpd:expires:fingerprint:client:)``; ``authorize(_:resource:)`` has the media
/// token with the decision, so ``mediaToken(_:for:)`` asks for a decision again. ``profileClients`` has the client that it
/// registered, unless the app signs in as one of a group.
public protocol PassBackend: Sendable {
    /// The clients whose sign-ins the server accepts from this app, as far as they are known now. Read at each access to the store,
    /// so it must neither wait nor use the network. Optional; by default ``ProfileClients/any``.
    ///
    /// A session of any other client does not count, and is left for its app.
    var profileClients: ProfileClients { get }

    /// Registers the app. A second call may return at once if the app is registered already.
    ///
    /// - Throws: `notRegistered` if the server does not accept the statement, `noAccessToken` if it gives no access token.
    func register(_ softwareStatement: String, _ options: ClientOptions) async throws(PassBackendError)

    /// Returns the programmer's configuration, at the request's service provider or the back end's own.
    func configuration(_ request: PassRequest) async throws(PassBackendError) -> PassConfiguration

    /// Begins a sign-in with the request's TV provider.
    func startAuthentication(
        _ request: PassRequest,
        _ redirectURL: RedirectURL
    ) async throws(PassBackendError) -> AuthenticationStart

    /// The result of a sign-in; nil if it has not ended yet, or has ended without a profile.
    ///
    /// - Throws: `codeExpired` on a second screen, once the code has expired.
    func profile(
        _ request: PassRequest,
        of attempt: AuthenticationAttempt
    ) async throws(PassBackendError) -> AuthenticationProfile?

    /// Tries to sign in with the request's TV provider without a window, as another programmer of the store is signed
    /// in with it; nil where that is not possible. Optional.
    func passiveProfile(_ request: PassRequest) async throws(PassBackendError) -> AuthenticationProfile?

    /// Asks the TV provider whether the person may watch a resource.
    ///
    /// - Throws: `denied`, with the TV provider's words; `deviceMismatch`; `notAuthenticated`; `signedInByOtherApp`.
    func authorize(_ request: PassRequest, resource: String) async throws(PassBackendError) -> AuthorizationAnswer

    /// A new media token for an authorization, as received: base64.
    func mediaToken(
        _ request: PassRequest,
        for authorization: AuthorizationToken
    ) async throws(PassBackendError) -> String

    /// Asks which resources the person may watch.
    ///
    /// - Throws: `tooManyResources`, and whatever else keeps all of them from being answered.
    func preauthorize(
        _ request: PassRequest,
        _ question: PreauthorizeRequest
    ) async throws(PassBackendError) -> [PreauthorizeResponse.Decision]

    /// Returns the TV provider's metadata of the person: the envelope `updated`, `encrypted`, `data` in JSON; nil for
    /// none.
    func userMetadata(_ request: PassRequest) async throws(PassBackendError) -> Data?

    /// The page that logs the person out at Pass and at the TV provider; nil where there is none to be shown.
    ///
    /// A log-out on a second screen asks for it too, so that Pass's part is done, and shows none.
    func logOutURL(_ request: PassRequest, _ redirectURL: RedirectURL) async throws(PassBackendError) -> String?
}

extension PassBackend {
    /// Any.
    public var profileClients: ProfileClients { .any }

    /// Not possible.
    public func passiveProfile(_ request: PassRequest) async throws(PassBackendError) -> AuthenticationProfile? { nil }
}

/// A request to a ``PassBackend``. Printed, it shows the programmer and the TV provider alone.
public struct PassRequest: Sendable, Hashable {
    /// The programmer.
    public let requestor: String
    /// The TV provider (MVPD) that it is about, if it is about one.
    public var mvpd: String?
    /// The server that this TV provider's calls go to; nil for the back end's own.
    public var serviceProvider: String?
    /// The programmer's domain, as its configuration has it.
    public var domain: String?
    /// The device, as ``DeviceIdentity/fingerprint`` has it.
    public let fingerprint: String
    /// The options of every request.
    public let options: ClientOptions
    /// The token that signs the programmer in, where one does.
    public var token: AuthenticationToken?
    /// Whether the person is to see the TV provider's page even if the server knows them: a sign-in that is forced.
    public var isForced = false
    /// The data that the app passes on to the TV provider.
    public var genericData: [String: String] = [:]
}

extension PassRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The programmer and the TV provider.
    public var description: String { "PassRequest(\(requestor), \(mvpd ?? "-"))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing: generic data may be personal.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
