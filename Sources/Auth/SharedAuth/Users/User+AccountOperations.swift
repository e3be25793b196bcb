extension User {
    /// Adds a sign-in method to the account. The uid stays the same, and an anonymous user is no longer anonymous.
    ///
    /// - Throws: `providerAlreadyLinked` if the account already has this method; `emailAlreadyInUse` or
    ///   `credentialAlreadyInUse` if the credential belongs to another account (``AuthError/details`` may have a
    ///   credential for signing in to that account); `operationNotAllowed` if the identity provider does not offer
    ///   this; the errors of `getIDToken(forcingRefresh:)`.
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
        return try await renew(with: provider) { credential async throws(AuthError) in
            try await link(with: credential)
        }
    }

    /// Signs the user in at another service, after it is known that new tokens can be kept. Ends the session there if
    /// its credential cannot be used.
    private func renew(
        with provider: any FederatedAuthProvider,
        _ use: (AuthCredential) async throws(AuthError) -> AuthDataResult
    ) async throws(AuthError) -> AuthDataResult {
        let engine = try owningEngine()
        try await engine.checkCanRenew(self)
        let credential = try await engine.credential(of: provider)
        do throws(AuthError) {
            return try await use(credential)
        } catch {
            // With some errors, the caller gets the means to go on.
            let isHeld = error.details?.secondFactor != nil || error.details?.credential != nil
            // Tokens that could not be saved are kept in memory, and may be those of the credential.
            let token = credential.content.refreshToken
            let isKept = token != nil && (token == snapshot.tokens.refreshToken || engine.unsavedTokens.contains(token))
            if !isHeld, !isKept, error.code != .outcomeUnknown { await engine.discard(credential, of: provider) }
            throw error
        }
    }

    /// Removes a sign-in method, e.g. `password`. An account without any can be used only in the current session.
    ///
    /// - Throws: `noSuchProvider` if the account does not have this method; `operationNotAllowed` if the identity
    ///   provider does not offer this; the errors of `getIDToken(forcingRefresh:)`.
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

    /// Signs in to the same account again, for operations that throw `requiresRecentLogin`. The session continues with
    /// new tokens.
    ///
    /// The old tokens are no longer used, but they are not revoked; they expire at the identity provider. At many
    /// identity providers the old and the new tokens belong to one grant, so revoking the old ones would also end the
    /// new session.
    ///
    /// - Throws: `userMismatch` if the credential belongs to another account or to no account; an error of the identity
    ///   provider, e.g. `wrongPassword`; an error of the keyring. The current session is then unchanged.
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
        try await renew(with: provider) { credential async throws(AuthError) in
            try await reauthenticate(with: credential)
        }
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

    /// Changes the account's password. The current session continues in all apps of the slot; the identity provider
    /// determines whether other sessions end.
    ///
    /// - Throws: `weakPassword`, also for an empty password; `requiresRecentLogin` or `operationNotAllowed`; the errors
    ///   of `getIDToken(forcingRefresh:)`.
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
    /// Sends an e-mail with a link that verifies the account's address. `reload()` updates the user afterwards.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider sends no e-mails; the errors of
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

    /// Sends an e-mail to a new address, which becomes the account's address when the link is opened. That may end the
    /// session.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider sends no e-mails; `emailAlreadyInUse`,
    ///   `requiresRecentLogin`, or another error of the identity provider. The user stays signed in.
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
