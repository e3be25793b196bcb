public import FoundationEssentials

/// Where a sign-in or a log-out leads in the end, as the app said.
public struct RedirectURL: Sendable, Hashable {
    /// For a page in a view of the app, or at a loopback address.
    public let plain: String
    /// For a page in a secure browser, under the app's own scheme; nil where the app has none.
    public let secure: String?
    /// Whether the sign-in is on a second screen, which leads nowhere.
    public let isSecondScreen: Bool
    /// Whether the app shows a secure browser for this TV provider.
    public internal(set) var isForSecureBrowser = false

    /// The one of the two that applies.
    public var address: String { isForSecureBrowser ? secure ?? plain : plain }
}

/// One sign-in at the back end.
public struct AuthenticationAttempt: Sendable, Hashable {
    /// What the back end knows it by, such as the code of its session.
    public let id: String
    /// What the redirect has to carry as its query item `state`; nil where it carries none.
    public let state: String?

    /// Makes one.
    public init(id: String, state: String? = nil) {
        self.id = id
        self.state = state
    }
}

/// How a sign-in goes on.
@frozen
public enum AuthenticationStart: Sendable, Hashable {
    /// On a login page.
    case page(url: String, AuthenticationAttempt)
    /// On a second screen, where the person types a code, until it expires.
    case code(String, expires: Date, AuthenticationAttempt)
    /// It needs nobody: a temporary pass, or a TV provider that is out of order.
    case signedIn(AuthenticationProfile)
}

/// What a sign-in came to.
public struct AuthenticationProfile: Sendable, Hashable {
    /// What kind of sign-in it is.
    @frozen
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// With the TV provider.
        case regular
        /// By a temporary pass.
        case temporary
        /// Because the TV provider is out of order.
        case degraded
    }

    /// The token; of REST v2, one that was made of a profile.
    public let token: AuthenticationToken
    /// What kind of sign-in it is.
    public let kind: Kind
    /// What the TV provider says of the person, if that came too: as ``PassBackend/userMetadata(_:)`` has it.
    public let userMetadata: Data?

    /// Makes one.
    public init(_ token: AuthenticationToken, kind: Kind = .regular, userMetadata: Data? = nil) {
        self.token = token
        self.kind = kind
        self.userMetadata = userMetadata
    }
}

/// What a TV provider's permission came to.
public struct AuthorizationAnswer: Sendable, Hashable {
    /// The permission.
    public let authorization: AuthorizationToken
    /// A media token that came with it, as received.
    public let mediaToken: String?
    /// Whether it is given because of a temporary pass, or because the TV provider is out of order.
    public let kind: AuthenticationProfile.Kind

    /// Makes one.
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

extension AuthenticationAttempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// No content: a program that knows it can finish the sign-in.
    public var description: String { "AuthenticationAttempt" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AuthenticationStart: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How the sign-in goes on; no address and no code.
    public var description: String {
        switch self {
        case .page: "page"
        case .code: "code"
        case .signedIn(let profile): "signedIn(\(profile))"
        }
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AuthenticationProfile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the token's own description.
    public var description: String { "AuthenticationProfile(\(kind), \(token))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The token, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["token": token]) }
}

extension AuthorizationAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the authorization's own description; no media token.
    public var description: String { "AuthorizationAnswer(\(kind), \(authorization))" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The authorization, which shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["authorization": authorization]) }
}
