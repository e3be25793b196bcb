public import DesktopSupport
public import FoundationEssentials

/// The final address of a sign-in or log-out page, as set by the app.
public struct RedirectURL: Sendable, Hashable {
    /// The address for a page in a view of the app, or at a loopback address.
    public let plain: String
    /// The address for a page in a secure browser, with the app's own scheme; nil if the app has none.
    public let secure: String?
    /// Indicates whether the sign-in is on a second screen, which has no final address.
    public let isSecondScreen: Bool
    /// Indicates whether the app shows a secure browser for this TV provider.
    public internal(set) var isForSecureBrowser = false

    /// The address that applies.
    public var address: String { isForSecureBrowser ? secure ?? plain : plain }
}

/// One sign-in at the back end.
public struct AuthenticationAttempt: Sendable, Hashable {
    /// The id at the back end, such as the code of its session.
    public let id: String
    /// The query item `state` that the redirect must carry; nil if it carries none.
    public let state: String?

    /// Creates an attempt.
    public init(id: String, state: String? = nil) {
        self.id = id
        self.state = state
    }
}

/// The next step of a sign-in.
@frozen
public enum AuthenticationStart: Sendable, Hashable {
    /// A login page.
    case page(url: String, AuthenticationAttempt)
    /// A second screen, on which the user types a code until it expires.
    case code(String, expires: Date, AuthenticationAttempt)
    /// No user interaction: a temporary pass, or a TV provider that is out of service (degradation).
    case signedIn(AuthenticationProfile)
}

/// The profile of a successful sign-in.
public struct AuthenticationProfile: Sendable, Hashable {
    /// The kind of sign-in.
    @frozen
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A sign-in with the TV provider.
        case regular
        /// A temporary pass.
        case temporary
        /// Access without a sign-in, because the TV provider is out of service.
        case degraded
    }

    /// The token; for REST v2, one created from a profile.
    public let token: AuthenticationToken
    /// The kind of sign-in.
    public let kind: Kind
    /// The TV provider's metadata about the user, if it was part of the response: in the form of
    /// ``PassBackend/userMetadata(_:)``.
    public let userMetadata: Data?

    /// Creates a profile.
    public init(_ token: AuthenticationToken, kind: Kind = .regular, userMetadata: Data? = nil) {
        self.token = token
        self.kind = kind
        self.userMetadata = userMetadata
    }
}

/// The permission of a TV provider for a resource.
public struct AuthorizationAnswer: Sendable, Hashable {
    /// The authorization.
    public let authorization: AuthorizationToken
    /// A media token that was part of the response, as received.
    public let mediaToken: String?
    /// The kind of access: regular, by a temporary pass, or because the TV provider is out of service.
    public let kind: AuthenticationProfile.Kind

    /// Creates the result of an authorization.
    public init(
        _ authorization: AuthorizationToken,
        mediaToken: String? = nil,
        kind: AuthenticationProfile.Kind = .regular
    ) {
        self.authorization = authorization
        self.mediaToken = mediaToken
        self.kind = kind
    }
}

extension AuthenticationAttempt: Redacted {
    /// The name of the type only: a program that knows the content can finish the sign-in.
    public var description: String { "AuthenticationAttempt" }
}

extension AuthenticationStart: Redacted {
    /// The next step, without addresses and codes.
    public var description: String {
        switch self {
        case .page: "page"
        case .code: "code"
        case .signedIn(let profile): "signedIn(\(profile))"
        }
    }
}

extension AuthenticationProfile: Redacted {
    /// The kind and the token's own description.
    public var description: String { "AuthenticationProfile(\(kind), \(token))" }
    /// The token, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["token": token]) }
}

extension AuthorizationAnswer: Redacted {
    /// The kind and the authorization's own description, without the media token.
    public var description: String { "AuthorizationAnswer(\(kind), \(authorization))" }
    /// The authorization, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["authorization": authorization]) }
}
