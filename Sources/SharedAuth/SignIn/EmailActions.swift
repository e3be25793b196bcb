public import FoundationEssentials

/// What an identity provider does by e-mail, in addition to being one: each mail has a link with a code.
///
/// A mail that cannot be sent gives `invalidEmail`, `invalidRecipientEmail` or `userNotFound`, and settings that the server does not take
/// `missingContinueURI` or `unauthorizedDomain`.
public protocol EmailActions: Sendable {
    /// Sends a mail with which the holder of the address chooses a new password.
    func sendPasswordReset(
        to email: String,
        settings: ActionCodeSettings?,
        tenantID: String?
    ) async throws(AuthError)

    /// Checks the code of such a mail, and answers with the address that it was sent to.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode`.
    func verifyPasswordResetCode(_ code: String, tenantID: String?) async throws(AuthError) -> String

    /// Chooses the new password.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode`, `weakPassword`.
    func confirmPasswordReset(
        withCode code: String,
        newPassword: String,
        tenantID: String?
    ) async throws(AuthError)

    /// Sends a mail with which the user shows that the account's address is theirs.
    func sendEmailVerification(for tokens: UserTokens, settings: ActionCodeSettings?) async throws(AuthError)

    /// Sends a mail to a new address, which becomes the account's when its link is opened.
    ///
    /// - Throws: `emailAlreadyInUse`, `requiresRecentLogin`.
    func sendEmailVerification(
        beforeUpdatingEmail email: String,
        for tokens: UserTokens,
        settings: ActionCodeSettings?
    ) async throws(AuthError)

    /// Sends a mail whose link signs in.
    func sendSignInLink(
        to email: String,
        settings: ActionCodeSettings,
        tenantID: String?
    ) async throws(AuthError)

    /// Says what a code does, without using it up.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode`.
    func checkActionCode(_ code: String, tenantID: String?) async throws(AuthError) -> ActionCodeInfo

    /// Does what the code is for.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode`.
    func applyActionCode(_ code: String, tenantID: String?) async throws(AuthError)
}

/// Where the link of a mail leads (Firebase: `ActionCodeSettings`).
public struct ActionCodeSettings: Sendable, Hashable {
    /// The page that the link leads to in the end.
    public var url: URL?
    /// Whether the code is for the app, not for a page of the identity provider.
    public var handleCodeInApp: Bool
    /// The domain that the link is to have.
    public var linkDomain: String?
    /// The bundle id of the app that the link opens on an iPhone.
    public var iOSBundleID: String?
    /// The package name of the app that the link opens on an Android phone.
    public var androidPackageName: String?
    /// Whether a phone offers to install that app.
    public var androidInstallIfNotAvailable = false
    /// The oldest version of that app that knows such links.
    public var androidMinimumVersion: String?

    /// Makes settings.
    public init(url: URL? = nil, handleCodeInApp: Bool = false, linkDomain: String? = nil) {
        self.url = url
        self.handleCodeInApp = handleCodeInApp
        self.linkDomain = linkDomain
    }
}

/// What a code of a mail does (Firebase: `ActionCodeInfo`); printed, it shows the operation alone.
public struct ActionCodeInfo: Sendable, Hashable {
    /// What it does.
    public let operation: ActionCodeOperation
    /// The address it is about; nil for a sign-in link.
    public let email: String?
    /// The address that the account had before, if it does something about a change.
    public let previousEmail: String?

    /// Makes a description.
    public init(operation: ActionCodeOperation, email: String?, previousEmail: String? = nil) {
        self.operation = operation
        self.email = email
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
