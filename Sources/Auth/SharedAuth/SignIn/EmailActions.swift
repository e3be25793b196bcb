/// The e-mail operations of an identity provider. Each e-mail has a link with a code.
///
/// A method that sends an e-mail throws `invalidEmail`, `invalidRecipientEmail` or `userNotFound` if the e-mail cannot
/// be sent, and `missingContinueURI` or `unauthorizedDomain` if the server rejects the settings.
public protocol EmailActions: Sendable {
    /// Sends an e-mail with a link for choosing a new password.
    func sendPasswordReset(
        to email: String,
        settings: ActionCodeSettings?,
        tenantID: String?
    ) async throws(AuthError)

    /// Checks the code of a password reset e-mail, and returns the address that it was sent to.
    ///
    /// - Throws: `invalidActionCode` or `expiredActionCode`.
    func verifyPasswordResetCode(_ code: String, tenantID: String?) async throws(AuthError) -> String

    /// Sets a new password, with the code of a password reset e-mail.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode` or `weakPassword`.
    func confirmPasswordReset(
        withCode code: String,
        newPassword: String,
        tenantID: String?
    ) async throws(AuthError)

    /// Sends an e-mail with a link that verifies the account's address.
    func sendEmailVerification(for tokens: UserTokens, settings: ActionCodeSettings?) async throws(AuthError)

    /// Sends an e-mail to a new address, which becomes the account's address when the link is opened.
    ///
    /// - Throws: `emailAlreadyInUse` or `requiresRecentLogin`.
    func sendEmailVerification(
        beforeUpdatingEmail email: String,
        for tokens: UserTokens,
        settings: ActionCodeSettings?
    ) async throws(AuthError)

    /// Sends an e-mail with a link that signs the user in.
    func sendSignInLink(
        to email: String,
        settings: ActionCodeSettings,
        tenantID: String?
    ) async throws(AuthError)

    /// Returns the operation of a code, without using the code.
    ///
    /// - Throws: `invalidActionCode` or `expiredActionCode`.
    func checkActionCode(_ code: String, tenantID: String?) async throws(AuthError) -> ActionCodeInfo

    /// Performs the operation of a code.
    ///
    /// - Throws: `invalidActionCode` or `expiredActionCode`.
    func applyActionCode(_ code: String, tenantID: String?) async throws(AuthError)
}
