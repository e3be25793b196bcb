extension User {
    /// Adds a way to sign in to the account; the uid stays, and an anonymous user is no longer anonymous.
    ///
    /// - Throws: `providerAlreadyLinked` if the account has this way already; `emailAlreadyInUse` or
    ///   `credentialAlreadyInUse` if the credential is another account's (``AuthError/details`` may have one to sign in
    ///   to that with); `operationNotAllowed` if the identity provider has no such operation; else as
    ///   `getIDToken(forcingRefresh:)`.
    @discardableResult
    public func link(with credential: AuthCredential) async throws(AuthError) -> AuthDataResult {
        try checkNotLinked(credential.provider)
        let grant = try await accountUpdate().link { accounts, tokens async throws(AuthError) in
            try await accounts.link(credential, to: tokens)
        }
        return AuthDataResult(self, from: grant, by: credential.provider)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func link(
        with credential: AuthCredential,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in try await user.link(with: credential) }
    }

    /// Signs the user in at another service, e.g. in a browser, and adds that as a sign-in method.
    ///
    /// - Throws: The errors of `Auth.signIn(with:)` with a provider, and of `link(with:)` with a credential.
    @discardableResult
    public func link(with provider: any FederatedAuthProvider) async throws(AuthError) -> AuthDataResult {
        try checkNotLinked(provider.providerID)
        let credential = try await owningEngine().federatedSignIn.credential(of: provider)
        return try await link(with: credential)
    }

    /// Removes a way to sign in, e.g. `password`. Without any the account is reached by the present session alone.
    ///
    /// - Throws: `noSuchProvider` if the account has no such way, `operationNotAllowed` if the identity provider has no
    ///   such operation; else as `getIDToken(forcingRefresh:)`.
    @discardableResult
    public func unlink(fromProvider providerID: String) async throws(AuthError) -> User {
        guard providerData.contains(where: { $0.providerID == providerID }) else {
            throw AuthError(.noSuchProvider, "The account of \(uid) does not have this sign-in method: \(providerID).")
        }
        try await accountUpdate().perform { accounts, tokens async throws(AuthError) in
            try await accounts.unlink(providerID: providerID, from: tokens)
        }
        return self
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func unlink(
        fromProvider providerID: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (User?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.unlink(fromProvider: providerID)
        }
    }

    /// Signs in to the same account again, for operations that throw `requiresRecentLogin`. The session goes on with
    /// new tokens.
    ///
    /// The former tokens are not revoked: at many identity providers the old and the new tokens belong to one grant, so
    /// that would also end the new session. The former tokens are no longer used here, and expire at the identity
    /// provider.
    ///
    /// - Throws: `userMismatch` if the credential is not this account's, or no account's; what the identity provider
    ///   says, e.g. `wrongPassword`; an error of the keyring. The present session is left as it is.
    @discardableResult
    public func reauthenticate(with credential: AuthCredential) async throws(AuthError) -> AuthDataResult {
        let profile = snapshot.profile
        return try await renew(by: credential.provider) { accounts async throws(AuthError) in
            do throws(AuthError) {
                return try await accounts.reauthenticate(with: credential, for: profile)
            } catch {
                guard error.code == .userNotFound else { throw error }
                throw AuthError(
                    .userMismatch,
                    "The credential is not that of \(profile.uid).",
                    underlying: error
                )
            }
        }
    }

    private func renew(
        by providerID: String,
        _ obtain: @escaping @Sendable (any AccountProvider) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> AuthDataResult {
        do throws(AuthError) {
            let grant = try await accountUpdate().reauthenticate(obtain)
            return AuthDataResult(self, from: grant, by: providerID)
        } catch {
            throw error.resuming(by: auth) { [self] finish async throws(AuthError) in
                try await renew(by: providerID) { _ async throws(AuthError) in try await finish() }
            }
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func reauthenticate(
        with credential: AuthCredential,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.reauthenticate(with: credential)
        }
    }

    /// Signs the user in to the same account again at another service, e.g. in a browser.
    ///
    /// - Throws: The errors of `Auth.signIn(with:)` with a provider, and of `reauthenticate(with:)` with a credential.
    @discardableResult
    public func reauthenticate(with provider: any FederatedAuthProvider) async throws(AuthError) -> AuthDataResult {
        try await reauthenticate(with: try await owningEngine().federatedSignIn.credential(of: provider))
    }

    /// Changes the account's e-mail address. If the identity provider requires the new address to be verified first,
    /// use `sendEmailVerification(beforeUpdatingEmail:)`.
    ///
    /// - Throws: `emailAlreadyInUse`, `invalidEmail`, `requiresRecentLogin` or `operationNotAllowed`; the errors of
    ///   `getIDToken(forcingRefresh:)`.
    public func updateEmail(to email: String) async throws(AuthError) {
        try await accountUpdate().perform { accounts, tokens async throws(AuthError) in
            try await accounts.updateEmail(to: email, for: tokens)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func updateEmail(
        to email: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in try await user.updateEmail(to: email) }
    }

    /// Changes the account's password. The present session goes on, in every app of the slot; whether others end is the
    /// identity provider's to say.
    ///
    /// - Throws: `weakPassword`, also for an empty one, `requiresRecentLogin`, `operationNotAllowed`; else as
    ///   `getIDToken(forcingRefresh:)`.
    public func updatePassword(to password: String) async throws(AuthError) {
        if password.isEmpty {
            throw AuthError(.weakPassword, "The password is empty. Choose one of at least six characters.")
        }
        try await accountUpdate().perform { accounts, tokens async throws(AuthError) in
            try await accounts.updatePassword(to: password, for: tokens)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func updatePassword(
        to password: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in try await user.updatePassword(to: password) }
    }

    private func checkNotLinked(_ providerID: String) throws(AuthError) {
        guard providerData.contains(where: { $0.providerID == providerID }) else { return }
        throw AuthError(
            .providerAlreadyLinked,
            "The account of \(uid) already has this sign-in method: \(providerID).",
            remedy: "Remove it first with unlink(fromProvider:)."
        )
    }
}

extension User {
    /// Sends a mail with which the user shows that the account's address is theirs; `reload()` shows the effect.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider sends no e-mails; else as
    ///   `getIDToken(forcingRefresh:)`.
    public func sendEmailVerification(with settings: ActionCodeSettings? = nil) async throws(AuthError) {
        try await accountUpdate().send(endsSession: true) { actions, tokens async throws(AuthError) in
            try await actions.sendEmailVerification(for: tokens, settings: settings)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func sendEmailVerification(
        with settings: ActionCodeSettings? = nil,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.sendEmailVerification(with: settings)
        }
    }

    /// Sends a mail to a new address, which becomes the account's when its link is opened. The session may end then.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider sends no e-mails, `emailAlreadyInUse`,
    ///   `requiresRecentLogin`, or what else it says; the user stays signed in.
    public func sendEmailVerification(
        beforeUpdatingEmail email: String,
        actionCodeSettings settings: ActionCodeSettings? = nil
    ) async throws(AuthError) {
        try await accountUpdate().send(endsSession: false) { actions, tokens async throws(AuthError) in
            try await actions.sendEmailVerification(beforeUpdatingEmail: email, for: tokens, settings: settings)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func sendEmailVerification(
        beforeUpdatingEmail email: String,
        actionCodeSettings settings: ActionCodeSettings? = nil,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.sendEmailVerification(beforeUpdatingEmail: email, actionCodeSettings: settings)
        }
    }
}
