/// What an error carries for the app to go on with; printed, it shows the kind alone. The set can grow.
public enum AuthErrorDetails: Sendable {
    /// The credential that was refused, and the address of the account that it is about: with `credentialAlreadyInUse`,
    /// `accountExistsWithDifferentCredential` and `emailAlreadyInUse`. The app may sign in with it.
    case credential(email: String?, OAuthCredential?)
    /// Why a password is refused, as sentences for people: with `weakPassword` and `passwordDoesNotMeetRequirements`.
    case reasons([String])
    /// What finishes the sign-in with a second factor: with `secondFactorRequired`.
    case secondFactor(MultiFactorResolver)
    /// What a function of the project said when it refused the operation: with `blockingCloudFunctionError`.
    case blockingFunction(BlockingFunctionRefusal)
    /// The tokens that a refresh or a change of the account brought although part of the answer was refused, such as an ID token that
    /// cannot be checked: from ``IdentityProvider/refresh(_:scopes:)``, and from what ``AccountProvider`` changes. SharedAuth saves
    /// them, and an app never sees them here.
    case tokens(UserTokens)
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
        switch self {
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
