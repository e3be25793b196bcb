internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension IdentityToolkit: EmailActions {
    /// Sends an e-mail that lets the user choose a new password. A project with e-mail enumeration protection does not
    /// reveal whether the account exists.
    public func sendPasswordReset(
        to email: String,
        settings: ActionCodeSettings?,
        tenantID: String?
    ) async throws(AuthError) {
        try await send("PASSWORD_RESET", ["email": .string(email)], settings, tenantID: tenantID)
    }

    /// Checks the code of a password reset e-mail and returns the address that the e-mail was sent to.
    ///
    /// - Throws: `invalidActionCode` for a code of another kind, or an error from Firebase.
    public func verifyPasswordResetCode(_ code: String, tenantID: String?) async throws(AuthError) -> String {
        let info = try await checkActionCode(code, tenantID: tenantID)
        if info.operation == .passwordReset, !info.email.isEmpty { return info.email }
        throw AuthError(.invalidActionCode, "The code is not a password reset code.")
    }

    /// Sets a new password. Every session of the account ends, including this app's.
    public func confirmPasswordReset(
        withCode code: String,
        newPassword: String,
        tenantID: String?
    ) async throws(AuthError) {
        let members: [String: JSONValue] = ["oobCode": .string(code), "newPassword": .string(newPassword)]
        _ = try await backend.call(.resetPassword, Self.members(members, tenantID: tenantID))
    }

    /// Sends an e-mail that lets the user verify the account's address.
    public func sendEmailVerification(
        for tokens: UserTokens,
        settings: ActionCodeSettings?
    ) async throws(AuthError) {
        try await send("VERIFY_EMAIL", ["idToken": .string(try Self.idToken(of: tokens))], settings, tenantID: nil)
    }

    /// Sends an e-mail to a new address. Opening its link makes the address the account's and ends the session.
    public func sendEmailVerification(
        beforeUpdatingEmail email: String,
        for tokens: UserTokens,
        settings: ActionCodeSettings?
    ) async throws(AuthError) {
        let members: [String: JSONValue] = [
            "idToken": .string(try Self.idToken(of: tokens)), "newEmail": .string(email),
        ]
        try await send("VERIFY_AND_CHANGE_EMAIL", members, settings, tenantID: nil)
    }

    /// Sends an e-mail with a sign-in link.
    ///
    /// - Throws: `missingContinueURI` if `settings` has no URL; `operationNotAllowed` unless the app handles the code.
    public func sendSignInLink(
        to email: String,
        settings: ActionCodeSettings,
        tenantID: String?
    ) async throws(AuthError) {
        guard settings.url != nil else {
            throw AuthError(
                .missingContinueURI,
                "The link needs a page to continue to.",
                remedy: "Set ActionCodeSettings.url to a page of an authorized domain."
            )
        }
        guard settings.handleCodeInApp else {
            throw AuthError(
                .operationNotAllowed,
                "A sign-in link must be handled by the app.",
                remedy: "Set ActionCodeSettings.handleCodeInApp."
            )
        }
        try await send("EMAIL_SIGNIN", ["email": .string(email)], settings, tenantID: tenantID)
    }

    /// Returns information about a code: its operation and its addresses.
    public func checkActionCode(_ code: String, tenantID: String?) async throws(AuthError) -> ActionCodeInfo {
        let members = Self.members(["oobCode": .string(code)], tenantID: tenantID)
        let answer = try await backend.call(.checkCode, members)
        let operation = ActionCodeOperation(mode: answer.string("requestType") ?? "")
        let (email, newEmail) = (answer.string("email"), answer.string("newEmail"))
        let isChange = operation == .verifyAndChangeEmail
        return ActionCodeInfo(
            operation: operation,
            email: isChange ? newEmail : email,
            previousEmail: isChange ? email : newEmail
        )
    }

    /// Applies a code.
    public func applyActionCode(_ code: String, tenantID: String?) async throws(AuthError) {
        _ = try await backend.call(.update, Self.members(["oobCode": .string(code)], tenantID: tenantID))
    }

    private func send(
        _ kind: String,
        _ members: [String: JSONValue],
        _ settings: ActionCodeSettings?,
        tenantID: String?
    ) async throws(AuthError) {
        var members = members.merging(settings?.members ?? [:]) { given, _ in given }
        members["requestType"] = .string(kind)
        _ = try await backend.call(.sendCode, Self.members(members, tenantID: tenantID))
    }

    private static func members(_ members: [String: JSONValue], tenantID: String?) -> [String: JSONValue] {
        var members = members
        if let tenantID { members["tenantId"] = .string(tenantID) }
        return members
    }
}

extension ActionCodeSettings {
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        let texts = [
            "continueUrl": url?.absoluteString, "linkDomain": linkDomain, "iOSBundleId": iOSBundleID,
            "androidPackageName": androidPackageName, "androidMinimumVersion": androidMinimumVersion,
        ]
        for (name, text) in texts { if let text { members[name] = .string(text) } }
        if handleCodeInApp { members["canHandleCodeInApp"] = .bool(true) }
        if androidInstallIfNotAvailable { members["androidInstallApp"] = .bool(true) }
        return members
    }
}
