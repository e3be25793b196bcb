public import DesktopSupport

/// Data of an error that the app can use to continue. A member is nil unless the error has it. The description shows
/// the kind alone.
public struct AuthErrorDetails: Sendable {
    private enum Content {
        case credential(email: String?, OAuthCredential?)
        case reasons([String])
        case secondFactor(MultiFactorResolver)
        case blockingFunction(BlockingFunctionRefusal)
        case tokens(UserTokens)
    }

    private let content: Content

    /// Creates details with the rejected credential and the e-mail address of its account, for
    /// `credentialAlreadyInUse`, `accountExistsWithDifferentCredential` and `emailAlreadyInUse`.
    public static func credential(email: String?, _ credential: OAuthCredential?) -> AuthErrorDetails {
        AuthErrorDetails(content: .credential(email: email, credential))
    }

    /// Creates details with the reasons why a password is rejected, as sentences for the user, for `weakPassword` and
    /// `passwordDoesNotMeetRequirements`.
    public static func reasons(_ reasons: [String]) -> AuthErrorDetails { AuthErrorDetails(content: .reasons(reasons)) }

    /// Creates details with the resolver that finishes a sign-in with a second factor, for `secondFactorRequired`.
    public static func secondFactor(_ resolver: MultiFactorResolver) -> AuthErrorDetails {
        AuthErrorDetails(content: .secondFactor(resolver))
    }

    /// Creates details with the response of a blocking function that rejected the operation, for
    /// `blockingCloudFunctionError`.
    public static func blockingFunction(_ refusal: BlockingFunctionRefusal) -> AuthErrorDetails {
        AuthErrorDetails(content: .blockingFunction(refusal))
    }

    /// Creates details with tokens that arrived although part of the response was rejected, such as an ID token that
    /// cannot be checked. ``IdentityProvider/refresh(_:scopes:)`` and the changes of ``AccountProvider`` throw them.
    /// SharedAuth saves the tokens; an app never sees them here.
    public static func tokens(_ tokens: UserTokens) -> AuthErrorDetails { AuthErrorDetails(content: .tokens(tokens)) }

    /// The e-mail address of the account that a rejected credential belongs to.
    public var email: String? { if case .credential(let email, _) = content { email } else { nil } }

    /// The rejected credential; the app may sign in with it.
    public var credential: OAuthCredential? {
        if case .credential(_, let credential) = content { credential } else { nil }
    }

    /// The reasons why a password is rejected, as sentences for the user.
    public var reasons: [String]? { if case .reasons(let reasons) = content { reasons } else { nil } }

    /// The resolver that finishes a sign-in with a second factor.
    public var secondFactor: MultiFactorResolver? {
        if case .secondFactor(let resolver) = content { resolver } else { nil }
    }

    /// The response of a blocking function that rejected the operation.
    public var blockingFunction: BlockingFunctionRefusal? {
        if case .blockingFunction(let refusal) = content { refusal } else { nil }
    }

    /// The tokens that an identity provider passes along with an error.
    public var tokens: UserTokens? { if case .tokens(let tokens) = content { tokens } else { nil } }
}

/// The response of a blocking function of the project that rejected an operation. The description shows the status
/// alone.
public struct BlockingFunctionRefusal: Sendable, Hashable {
    /// The message for the user.
    public let message: String?
    /// The status for programs, e.g. `PERMISSION_DENIED`.
    public let status: String?
    /// The HTTP status.
    public let code: Int?

    /// Creates a refusal.
    public init(message: String?, status: String? = nil, code: Int? = nil) {
        self.message = message
        self.status = status
        self.code = code
    }
}

extension BlockingFunctionRefusal: Redacted {
    /// The status alone.
    public var description: String { "BlockingFunctionRefusal(\(status ?? "no status"))" }
    /// The status alone: the message may contain personal data.
    public var customMirror: Mirror { Mirror(self, children: ["status": status as Any]) }
}

extension AuthErrorDetails: Redacted {
    /// The kind alone.
    public var description: String {
        switch content {
        case .credential: "credential"
        case .reasons: "reasons"
        case .secondFactor: "secondFactor"
        case .blockingFunction: "blockingFunction"
        case .tokens: "tokens"
        }
    }
}
