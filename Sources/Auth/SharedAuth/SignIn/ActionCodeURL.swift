public import FoundationEssentials

/// The link of a mail that an identity provider sent (Firebase: `ActionCodeURL`); printed, it shows the operation alone.
public struct ActionCodeURL: Sendable, Hashable {
    /// The code, for `Auth.applyActionCode(_:)` and its like.
    public let code: String
    /// What the code is for.
    public let operation: ActionCodeOperation
    /// The key of the project that sent the mail.
    public let apiKey: String?
    /// The page that the link leads to in the end.
    public let continueURL: URL?
    /// The language of the mail.
    public let languageCode: String?
    /// The tenant of the account.
    public let tenantID: String?

    /// Takes a link apart; nil if it has no code. The link may also stand in a parameter of another, as links to apps do.
    public init?(link: String) {
        var items = Self.items(of: link)
        for name in ["link", "deep_link_id"] {
            if let inner = items[name] { items = Self.items(of: inner) }
        }
        guard let code = items["oobCode"], !code.isEmpty else { return nil }
        self.code = code
        operation = ActionCodeOperation(mode: items["mode"] ?? "")
        apiKey = items["apiKey"]
        continueURL = items["continueUrl"].flatMap { URL(string: $0) }
        languageCode = items["lang"]
        tenantID = items["tenantId"]
    }

    private static func items(of link: String) -> [String: String] {
        let items = URLComponents(string: link)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}

extension ActionCodeOperation {
    /// The operation of a word, as links or as servers write it.
    package init(mode: String) {
        self =
            switch mode {
            case "resetPassword", "PASSWORD_RESET": .passwordReset
            case "verifyEmail", "VERIFY_EMAIL": .verifyEmail
            case "recoverEmail", "RECOVER_EMAIL": .recoverEmail
            case "signIn", "EMAIL_SIGNIN": .emailLink
            case "verifyAndChangeEmail", "VERIFY_AND_CHANGE_EMAIL": .verifyAndChangeEmail
            case "revertSecondFactorAddition", "REVERT_SECOND_FACTOR_ADDITION": .revertSecondFactorAddition
            default: .unknown
            }
    }
}

extension ActionCodeURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The operation alone.
    public var description: String { "ActionCodeURL(\(operation))" }
    /// The operation alone.
    public var debugDescription: String { description }
    /// The operation alone: the code is secret.
    public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}

/// What a code of a mail does (Firebase: `ActionCodeInfo`); printed, it shows the operation alone.
public struct ActionCodeInfo: Sendable, Hashable {
    /// What it does.
    public let operation: ActionCodeOperation
    /// The address it is about; empty for a sign-in link.
    public let email: String
    /// The address that the account had before, if it does something about a change.
    public let previousEmail: String?

    /// Makes a description.
    public init(operation: ActionCodeOperation, email: String?, previousEmail: String? = nil) {
        self.operation = operation
        self.email = email ?? ""
        self.previousEmail = previousEmail
    }
}

extension ActionCodeInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The operation alone.
    public var description: String { "ActionCodeInfo(\(operation))" }
    /// The operation alone.
    public var debugDescription: String { description }
    /// The operation alone: addresses are personal.
    public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}

/// The purpose of the code of a mail (Firebase: `ActionCodeOperation`). There may be more cases later: handle them as `unknown`.
public enum ActionCodeOperation: Sendable, Hashable {
    /// An operation that this library does not know.
    case unknown
    /// To choose a new password.
    case passwordReset
    /// To show that an address is the user's.
    case verifyEmail
    /// To take back a change of the address.
    case recoverEmail
    /// To sign in.
    case emailLink
    /// To show that a new address is the user's, and change to it.
    case verifyAndChangeEmail
    /// To take back the addition of a second factor.
    case revertSecondFactorAddition
}
