/// Account actions by e-mail. They do not require a signed-in user.
extension Auth {
    /// Sends an e-mail with a link to reset the password.
    ///
    /// An identity provider may not reveal whether the account exists: the call may succeed for an unknown address.
    ///
    /// - Parameters:
    ///   - email: The e-mail address of the account.
    ///   - settings: The settings of the link, such as the page that it continues to.
    /// - Throws: An error of the identity provider; `operationNotAllowed` if it does not send e-mails.
    public func sendPasswordReset(withEmail email: String, actionCodeSettings settings: ActionCodeSettings? = nil)
        async throws(AuthError)
    {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.sendPasswordReset(to: email, settings: settings, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func sendPasswordReset(
        withEmail email: String,
        actionCodeSettings settings: ActionCodeSettings? = nil,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.sendPasswordReset(withEmail: email, actionCodeSettings: settings)
        }
    }

    /// Checks the code of a password-reset e-mail, and returns the address that the e-mail was sent to.
    ///
    /// - Throws: `invalidActionCode` or `expiredActionCode` if the code is not valid; another error of the identity
    ///   provider; `operationNotAllowed` if it does not send e-mails.
    public func verifyPasswordResetCode(_ code: String) async throws(AuthError) -> String {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.verifyPasswordResetCode(code, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func verifyPasswordResetCode(
        _ code: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (String?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.verifyPasswordResetCode(code)
        }
    }

    /// Sets a new password with the code of a password-reset e-mail. This may end the account's sessions.
    ///
    /// - Throws: `weakPassword` if the password is too weak; `invalidActionCode` or `expiredActionCode` if the code is
    ///   not valid; another error of the identity provider; `operationNotAllowed` if it does not send e-mails.
    public func confirmPasswordReset(withCode code: String, newPassword: String) async throws(AuthError) {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.confirmPasswordReset(withCode: code, newPassword: newPassword, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func confirmPasswordReset(
        withCode code: String,
        newPassword: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.confirmPasswordReset(withCode: code, newPassword: newPassword)
        }
    }

    /// Returns the action of an e-mail's code, without applying it.
    ///
    /// - Throws: `invalidActionCode` or `expiredActionCode` if the code is not valid; another error of the identity
    ///   provider; `operationNotAllowed` if it does not send e-mails.
    public func checkActionCode(_ code: String) async throws(AuthError) -> ActionCodeInfo {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.checkActionCode(code, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func checkActionCode(
        _ code: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (ActionCodeInfo?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.checkActionCode(code)
        }
    }

    /// Applies the action of an e-mail's code.
    ///
    /// - Throws: `invalidActionCode` or `expiredActionCode` if the code is not valid; another error of the identity
    ///   provider; `operationNotAllowed` if it does not send e-mails.
    public func applyActionCode(_ code: String) async throws(AuthError) {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.applyActionCode(code, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func applyActionCode(
        _ code: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.applyActionCode(code)
        }
    }

    /// Sends an e-mail with a sign-in link. The app keeps the address for `signIn(withEmail:link:)`.
    ///
    /// - Throws: An error of the identity provider; `operationNotAllowed` if it does not send e-mails.
    public func sendSignInLink(toEmail email: String, actionCodeSettings settings: ActionCodeSettings)
        async throws(AuthError)
    {
        try await act { actions, tenantID async throws(AuthError) in
            try await actions.sendSignInLink(to: email, settings: settings, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func sendSignInLink(
        toEmail email: String,
        actionCodeSettings settings: ActionCodeSettings,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.sendSignInLink(toEmail: email, actionCodeSettings: settings)
        }
    }

    /// Returns whether a link is a sign-in link.
    public func isSignIn(withEmailLink link: String) -> Bool {
        ActionCodeURL(link: link)?.operation == .emailLink
    }

    /// Signs in with a sign-in link and the e-mail address that it was sent to.
    ///
    /// - Throws: `invalidActionCode` if the link is not a sign-in link; the errors of `signIn(with:)`.
    @discardableResult
    public func signIn(withEmail email: String, link: String) async throws(AuthError) -> AuthDataResult {
        guard isSignIn(withEmailLink: link) else {
            throw AuthError(
                .invalidActionCode,
                "The link is not a sign-in link.",
                remedy: "Use the whole link from the e-mail."
            )
        }
        return try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
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
