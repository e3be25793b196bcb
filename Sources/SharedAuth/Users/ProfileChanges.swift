internal import SecretService

// What an identity provider does to an account, and what becomes of it in the slot.
extension Auth {
    /// The user's tokens, refreshed if need be.
    func freshTokens(of user: User, forcing: Bool) async throws(AuthError) -> UserTokens {
        try await tokens.tokens(of: user, forcing: forcing, for: self)
    }

    /// Fetches the profile and saves it.
    func reload(_ user: User) async throws(AuthError) {
        try await update(user) { provider, idToken async throws(AuthError) in
            try await provider.profile(idToken: idToken)
        }
    }

    /// Changes the profile and saves it.
    func changeProfile(of user: User, _ change: UserProfileChange) async throws(AuthError) {
        try await update(user) { provider, idToken async throws(AuthError) in
            try await provider.updateProfile(idToken: idToken, change)
        }
    }

    /// Deletes the account and signs the user out.
    func deleteAccount(of user: User) async throws(AuthError) {
        let provider = try identityProvider(of: user.snapshot)
        let tokens = try await freshTokens(of: user, forcing: false)
        do throws(AuthError) {
            try await limited { () async throws(AuthError) in try await provider.deleteAccount(idToken: tokens.idToken)
            }
        } catch {
            try await reject(user, tokens, because: error)
        }
        guard let slot = user.slot else { return }
        let uid = user.uid
        try await onQueue { [self] () throws(AuthError) in try signOut(uid, from: slot) { _ in true } }
    }

    /// Throws the identity provider's error; if it ends the session, the user is signed out first, unless the slot has
    /// other tokens than those that were refused.
    func reject(_ user: User, _ tokens: UserTokens, because error: AuthError) async throws(AuthError) -> Never {
        if error.code.endsSession, let slot = user.slot {
            let uid = user.uid
            try? await onQueue { [self] () throws(AuthError) in
                let stored = self.tokens.unsaved.entry(of: uid, in: slot)?.stored
                try signOut(uid, from: slot) { $0.tokens == tokens || $0.tokens == stored }
            }
        }
        throw error
    }

    /// Takes over what the slot has of the user; for the slot in use this is what makes listeners hear.
    @discardableResult
    func take(_ contents: SlotContents, for user: User, in slot: Slot, _ operation: Operation) -> Account? {
        let isInUse = operation.state.slot == slot
        let contents = isInUse ? operation.take(contents, in: slot) : tokens.unsaved.overlay(contents, in: slot)
        let account = contents.record.account(user.uid)
        if let account { user.replace(with: account) }
        return account
    }

    private func update(
        _ user: User,
        _ fetch: @escaping @Sendable (any IdentityProvider, _ idToken: String) async throws(AuthError) -> UserProfile
    ) async throws(AuthError) {
        let provider = try identityProvider(of: user.snapshot)
        let tokens = try await freshTokens(of: user, forcing: false)
        let profile: UserProfile
        do throws(AuthError) {
            profile = try await limited { () async throws(AuthError) in try await fetch(provider, tokens.idToken) }
        } catch {
            try await reject(user, tokens, because: error)
        }
        guard profile.uid == user.uid else {
            throw AuthError(
                .userMismatch,
                "The identity provider answered with another user than \(user.uid); nothing was changed. Sign in again."
            )
        }
        guard let slot = user.slot else { return user.replaceProfile(with: profile) }
        try await onQueue { [self] () throws(AuthError) in
            try withOperation { operation throws(AuthError) in
                // Tokens that could not be saved before go with it.
                let unsaved = self.tokens.unsaved.entry(of: user.uid, in: slot)
                let contents = try operation.revise(slot, user.uid) { account in
                    let isBehind = unsaved.map { $0.stored == account.tokens } ?? false
                    guard account.profile != profile || isBehind else { return false }
                    account.profile = profile
                    if let unsaved, isBehind { account.tokens = unsaved.tokens }
                    return true
                }
                if let unsaved {
                    let found = contents.record.account(user.uid)?.tokens
                    self.tokens.unsaved.settle(unsaved, in: slot, found: found)
                }
                // Whoever is not in the slot any more is still who the identity provider says.
                if take(contents, for: user, in: slot, operation) == nil { user.replaceProfile(with: profile) }
            }
        }
    }

    private func signOut(_ uid: String, from slot: Slot, if condition: (Account) -> Bool) throws(AuthError) {
        try withOperation { operation throws(AuthError) in
            let contents = try operation.signOut(uid, from: slot, ifDamaged: .fail) { account, _ in
                account.uid == uid && condition(account)
            }
            if operation.state.slot == slot { operation.take(contents, in: slot) }
        }
    }
}
