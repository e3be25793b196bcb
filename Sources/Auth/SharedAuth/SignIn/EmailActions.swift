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
