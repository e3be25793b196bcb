/// What an account's holder does by e-mail; nobody needs to be signed in.
extension Auth {
    /// Sends a mail with which the holder of the address chooses a new password. An identity provider may not say whether there is such
    /// an account.
    ///
    /// - Throws: what the identity provider says; `operationNotAllowed` if it sends no e-mails.
    public func sendPasswordReset(withEmail email: String, actionCodeSettings settings: ActionCodeSettings? = nil)
        async throws(AuthError)
    {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.sendPasswordReset(to: email, settings: settings, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func sendPasswordReset(
        withEmail email: String,
        actionCodeSettings settings: ActionCodeSettings? = nil,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.sendPasswordReset(withEmail: email, actionCodeSettings: settings)
        }
    }

    /// Checks the code of such a mail, and answers with the address that it was sent to.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode`, or what else the identity provider says; `operationNotAllowed` if it sends no e-mails.
    public func verifyPasswordResetCode(_ code: String) async throws(AuthError) -> String {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.verifyPasswordResetCode(code, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func verifyPasswordResetCode(
        _ code: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (String?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.verifyPasswordResetCode(code)
        }
    }

    /// Chooses the new password with the code of such a mail; sessions of the account may end.
    ///
    /// - Throws: `weakPassword`, `invalidActionCode`, `expiredActionCode`, or what else the identity provider says; `operationNotAllowed` if it sends no e-mails.
    public func confirmPasswordReset(withCode code: String, newPassword: String) async throws(AuthError) {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.confirmPasswordReset(withCode: code, newPassword: newPassword, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func confirmPasswordReset(
        withCode code: String,
        newPassword: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.confirmPasswordReset(withCode: code, newPassword: newPassword)
        }
    }

    /// Says what the code of a mail does, without using it up.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode`, or what else the identity provider says; `operationNotAllowed` if it sends no e-mails.
    public func checkActionCode(_ code: String) async throws(AuthError) -> ActionCodeInfo {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.checkActionCode(code, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func checkActionCode(
        _ code: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (ActionCodeInfo?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.checkActionCode(code)
        }
    }

    /// Does what the code of a mail is for.
    ///
    /// - Throws: `invalidActionCode`, `expiredActionCode`, or what else the identity provider says; `operationNotAllowed` if it sends no e-mails.
    public func applyActionCode(_ code: String) async throws(AuthError) {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.applyActionCode(code, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func applyActionCode(
        _ code: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.applyActionCode(code)
        }
    }

    /// Sends a mail whose link signs in; the app keeps the address for `signIn(withEmail:link:)`.
    ///
    /// - Throws: what the identity provider says; `operationNotAllowed` if it sends no e-mails.
    public func sendSignInLink(toEmail email: String, actionCodeSettings settings: ActionCodeSettings)
        async throws(AuthError)
    {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.sendSignInLink(to: email, settings: settings, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func sendSignInLink(
        toEmail email: String,
        actionCodeSettings settings: ActionCodeSettings,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.sendSignInLink(toEmail: email, actionCodeSettings: settings)
        }
    }

    /// Whether a link is one of a mail that signs in.
    public func isSignIn(withEmailLink link: String) -> Bool {
        ActionCodeURL(link: link)?.operation == .emailLink
    }

    /// Signs in with the link of a mail, and the address that it was sent to.
    ///
    /// - Throws: `invalidActionCode` for another link; else as `signIn(with:)`.
    @discardableResult
    public func signIn(withEmail email: String, link: String) async throws(AuthError) -> AuthDataResult {
        guard isSignIn(withEmailLink: link) else {
            throw AuthError(
                .invalidActionCode,
                "The link is not one that signs in.",
                remedy: "Use the whole link of the mail."
            )
        }
        return try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func signIn(
        withEmail email: String,
        link: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(withEmail: email, link: link) }
    }

    private func act<Value: Sendable>(
        _ call:
            @escaping @Sendable (any EmailActions, _ tenantID: String?) async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let actions = try engine.identityProvider.emailActions()
        let tenantID = try await tenantID(timeout: engine.options.timeout)
        return try await engine.identityProvider.ask { () async throws(AuthError) in try await call(actions, tenantID)
        }
    }
}
