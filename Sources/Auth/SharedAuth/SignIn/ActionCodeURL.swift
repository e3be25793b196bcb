public import DesktopSupport
public import FoundationEssentials

/// The link in an e-mail from an identity provider (Firebase: `ActionCodeURL`). Printing it shows only the operation.
public struct ActionCodeURL: Sendable, Hashable {
    /// The code, for `Auth.applyActionCode(_:)` and similar methods.
    public let code: String
    /// The operation of the code.
    public let operation: ActionCodeOperation
    /// The API key of the project that sent the e-mail.
    public let apiKey: String?
    /// The page that the user continues to after the operation.
    public let continueURL: URL?
    /// The language of the e-mail.
    public let languageCode: String?
    /// The tenant of the account.
    public let tenantID: String?

    /// Parses a link; returns nil if it has no code. A link that is a parameter of another link, as in links to apps,
    /// is found, too.
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
    /// Creates an operation from its name in links or in server responses.
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

extension ActionCodeURL: Redacted {
    /// Only the operation.
    public var description: String { "ActionCodeURL(\(operation))" }
    /// Only the operation: the code is secret.
    public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}

/// The operation of an e-mailed code, and its addresses (Firebase: `ActionCodeInfo`). Printing it shows only the
/// operation.
public struct ActionCodeInfo: Sendable, Hashable {
    /// The operation of the code.
    public let operation: ActionCodeOperation
    /// The address that the operation applies to; empty for a sign-in link.
    public let email: String
    /// The account's previous address, if the operation concerns an address change.
    public let previousEmail: String?

    /// Creates the information about a code.
    ///
    /// - Parameters:
    ///   - operation: The operation of the code.
    ///   - email: The address that the operation applies to; nil for a sign-in link.
    ///   - previousEmail: The account's previous address, if the operation concerns an address change.
    public init(operation: ActionCodeOperation, email: String?, previousEmail: String? = nil) {
        self.operation = operation
        self.email = email ?? ""
        self.previousEmail = previousEmail
    }
}

extension ActionCodeInfo: Redacted {
    /// Only the operation.
    public var description: String { "ActionCodeInfo(\(operation))" }
    /// Only the operation: addresses are personal.
    public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}

/// The operation of an e-mailed code (Firebase: `ActionCodeOperation`). Later versions may add cases: handle those as
/// `unknown`.
public enum ActionCodeOperation: Sendable, Hashable {
    /// An operation unknown to this library.
    case unknown
    /// Sets a new password.
    case passwordReset
    /// Verifies that an address is the user's.
    case verifyEmail
    /// Reverts a change of the address.
    case recoverEmail
    /// Signs the user in.
    case emailLink
    /// Verifies that a new address is the user's, and changes the account to it.
    case verifyAndChangeEmail
    /// Reverts the addition of a second factor.
    case revertSecondFactorAddition
}
