public import FoundationEssentials

/// The last address of a sign-in or a log-out, as the app gave it.
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
    /// The id at the back end, such as the code of its session.
    public let id: String
    /// The query item `state` that the redirect has to carry; nil if it carries none.
    public let state: String?

    /// Makes one.
    public init(id: String, state: String? = nil) {
        self.id = id
        self.state = state
    }
}

/// The next step of a sign-in.
@frozen
public enum AuthenticationStart: Sendable, Hashable {
    /// On a login page.
    case page(url: String, AuthenticationAttempt)
    /// On a second screen, where the person types a code, until it expires.
    case code(String, expires: Date, AuthenticationAttempt)
    /// It needs nobody: a temporary pass, or a TV provider that is out of order.
    case signedIn(AuthenticationProfile)
}

/// The profile of a sign-in that went well.
public struct AuthenticationProfile: Sendable, Hashable {
    /// The kind of sign-in.
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
    /// The kind of sign-in.
    public let kind: Kind
    /// The TV provider's metadata of the person, if it came too: as ``PassBackend/userMetadata(_:)`` has it.
    public let userMetadata: Data?

    /// Makes one.
    public init(_ token: AuthenticationToken, kind: Kind = .regular, userMetadata: Data? = nil) {
        self.token = token
        self.kind = kind
        self.userMetadata = userMetadata
    }
}

/// A TV provider's permission.
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
    /// The next step; no address and no code.
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
