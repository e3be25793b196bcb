/// Data of an error that the app can go on with; each member is nil unless the error has it. Printed, it shows the kind alone.
public struct AuthErrorDetails: Sendable {
    private enum Content {
        case credential(email: String?, OAuthCredential?)
        case reasons([String])
        case secondFactor(MultiFactorResolver)
        case blockingFunction(BlockingFunctionRefusal)
        case tokens(UserTokens)
    }

    private let content: Content

    /// Makes details of a credential that was refused, and of the address of the account that it is about: with
    /// `credentialAlreadyInUse`, `accountExistsWithDifferentCredential` and `emailAlreadyInUse`.
    public static func credential(email: String?, _ credential: OAuthCredential?) -> AuthErrorDetails {
        AuthErrorDetails(content: .credential(email: email, credential))
    }

    /// Makes details of why a password is refused, as sentences for people: with `weakPassword` and
    /// `passwordDoesNotMeetRequirements`.
    public static func reasons(_ reasons: [String]) -> AuthErrorDetails { AuthErrorDetails(content: .reasons(reasons)) }

    /// Makes details of what finishes a sign-in with a second factor: with `secondFactorRequired`.
    public static func secondFactor(_ resolver: MultiFactorResolver) -> AuthErrorDetails {
        AuthErrorDetails(content: .secondFactor(resolver))
    }

    /// Makes details of what a function of the project said when it refused the operation: with `blockingCloudFunctionError`.
    public static func blockingFunction(_ refusal: BlockingFunctionRefusal) -> AuthErrorDetails {
        AuthErrorDetails(content: .blockingFunction(refusal))
    }

    /// Makes details of tokens that a refresh or a change of the account brought although part of the answer was refused, such as
    /// an ID token that cannot be checked: from ``IdentityProvider/refresh(_:scopes:)``, and from what ``AccountProvider`` changes.
    /// SharedAuth saves them, and an app never sees them here.
    public static func tokens(_ tokens: UserTokens) -> AuthErrorDetails { AuthErrorDetails(content: .tokens(tokens)) }

    /// The address of the account that a refused credential is about.
    public var email: String? { if case .credential(let email, _) = content { email } else { nil } }

    /// The credential that was refused; the app may sign in with it.
    public var credential: OAuthCredential? {
        if case .credential(_, let credential) = content { credential } else { nil }
    }

    /// Why a password is refused, as sentences for people.
    public var reasons: [String]? { if case .reasons(let reasons) = content { reasons } else { nil } }

    /// Finishes a sign-in with a second factor.
    public var secondFactor: MultiFactorResolver? {
        if case .secondFactor(let resolver) = content { resolver } else { nil }
    }

    /// What a function of the project said when it refused the operation.
    public var blockingFunction: BlockingFunctionRefusal? {
        if case .blockingFunction(let refusal) = content { refusal } else { nil }
    }

    /// The tokens that an identity provider hands over with an error.
    public var tokens: UserTokens? { if case .tokens(let tokens) = content { tokens } else { nil } }
}

/// What a function of the project said when it refused an operation; printed, it shows the status alone.
public struct BlockingFunctionRefusal: Sendable, Hashable {
    /// The sentence for people.
    public let message: String?
    /// The word for programs, e.g. `PERMISSION_DENIED`.
    public let status: String?
    /// The HTTP status.
    public let code: Int?

    /// Describes a refusal.
    public init(message: String?, status: String? = nil, code: Int? = nil) {
        self.message = message
        self.status = status
        self.code = code
    }
}

extension BlockingFunctionRefusal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status alone.
    public var description: String { "BlockingFunctionRefusal(\(status ?? "no status"))" }
    /// The status alone.
    public var debugDescription: String { description }
    /// The status alone: the sentence may be personal.
    public var customMirror: Mirror { Mirror(self, children: ["status": status as Any]) }
}

extension AuthErrorDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
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
    /// The kind alone.
    public var debugDescription: String { description }
    /// Nothing: the content is personal or secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
