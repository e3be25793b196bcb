internal import SecretService

/// What an identity provider does to one user's account, and what becomes of it in the slot.
struct AccountUpdate: Sendable {
    let user: User
    let session: Session

    /// Fetches the profile and saves it.
    func reload() async throws(AuthError) {
        let identityProvider = try session.identityProvider.get(for: user.snapshot)
        // Where there are access tokens, the profile may be had for a valid one alone.
        let scopes: Set<String>? = user.snapshot.tokens.accessTokens.isEmpty ? nil : []
        let tokens = try await session.tokens.tokens(of: user, forcing: false, scopes: scopes, for: session)
        let profile: UserProfile
        do throws(AuthError) {
            profile = try await session.identityProvider.ask { () async throws(AuthError) in
                try await identityProvider.profile(for: tokens)
            }
        } catch {
            try await reject(tokens, because: error)
        }
        try check(profile)
        try await save(profile)
    }

    /// Changes the profile and saves it.
    func commit(_ change: UserProfileChange) async throws(AuthError) {
        try await perform { accounts, tokens async throws(AuthError) in
            try await accounts.updateProfile(change, for: tokens)
        }
    }

    /// Has the account changed; new tokens are kept before anything else, and both are saved, if the user is still there.
    func perform(
        _ change: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> AccountChange
    ) async throws(AuthError) {
        let accounts = try session.identityProvider.accounts(for: user.snapshot)
        _ = try await session.tokens.exchange(of: user, for: session, endsSession: true) {
            tokens async throws(AuthError) in
            let answer = try await change(accounts, tokens)
            try check(answer.profile)
            return (answer.profile, answer.tokens)
        } saving: { profile async throws(AuthError) in
            try await save(profile)
        }
    }

    /// Adds a way to sign in, or signs in again: the new tokens take the place of those that the slot has of the user.
    ///
    /// - Parameter endsSession: whether an error that says so ends the session.
    func renew(
        endsSession: Bool,
        _ obtain: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> IdentityGrant {
        let accounts = try session.identityProvider.accounts(for: user.snapshot)
        return try await session.tokens.exchange(of: user, for: session, endsSession: endsSession) {
            tokens async throws(AuthError) in
            let grant = try await obtain(accounts, tokens)
            try check(grant.profile)
            return (grant, grant.tokens)
        } saving: { grant async throws(AuthError) in
            try await save(grant.profile)
        }
    }

    /// Has an e-mail sent for the holder of the account.
    ///
    /// - Parameter endsSession: whether an error that says so ends the session.
    func send(
        endsSession: Bool,
        _ send: @escaping @Sendable (any EmailActions, UserTokens) async throws(AuthError) -> Void
    ) async throws(AuthError) {
        let actions = try session.identityProvider.emailActions(for: user.snapshot)
        let tokens = try await session.tokens.tokens(of: user, forcing: false, for: session)
        do throws(AuthError) {
            try await session.identityProvider.ask { () async throws(AuthError) in try await send(actions, tokens) }
        } catch {
            if endsSession { try await reject(tokens, because: error) }
            throw error
        }
    }

    /// Deletes the account and signs the user out.
    func delete() async throws(AuthError) {
        let accounts = try session.identityProvider.accounts(for: user.snapshot)
        let tokens = try await session.tokens.tokens(of: user, forcing: false, for: session)
        do throws(AuthError) {
            try await session.identityProvider.ask { () async throws(AuthError) in
                try await accounts.deleteAccount(for: tokens)
            }
        } catch {
            try await reject(tokens, because: error)
        }
        guard let slot = user.slot else { return }
        try await session.onQueue { () throws(AuthError) in try signOut(of: slot) { _ in true } }
    }

    /// Throws the identity provider's error; if it ends the session, the user is signed out first, unless the slot has
    /// other tokens than those that were refused.
    func reject(_ tokens: UserTokens, because error: AuthError) async throws(AuthError) -> Never {
        if error.code.endsSession, let slot = user.slot {
            try? await session.onQueue { () throws(AuthError) in
                let stored = session.tokens.unsaved.entry(of: user.uid, in: slot)?.stored
                try signOut(of: slot) { $0.tokens == tokens || $0.tokens == stored }
            }
        }
        throw error
    }

    /// Takes over what the slot has of the user; for the slot in use, listeners hear of it.
    @discardableResult
    func take(_ contents: SlotContents, in slot: Slot, _ operation: Operation) -> Account? {
        let isInUse = operation.state.slot == slot
        let contents =
            isInUse ? operation.take(contents, in: slot) : session.tokens.unsaved.overlay(contents, in: slot)
        let account = contents.record.account(user.uid)
        if let account { user.replace(with: account) }
        return account
    }

    private func check(_ profile: UserProfile) throws(AuthError) {
        if profile.uid == user.uid { return }
        throw AuthError(
            .userMismatch,
            "The identity provider answered with another user than \(user.uid); nothing was changed. Sign in again."
        )
    }

    private func save(_ profile: UserProfile) async throws(AuthError) {
        guard let slot = user.slot else { return user.replaceProfile(with: profile) }
        try await session.onQueue { () throws(AuthError) in try save(profile, in: slot) }
    }

    private func save(_ profile: UserProfile, in slot: Slot) throws(AuthError) {
        try session.withOperation { operation throws(AuthError) in
            // Tokens that could not be saved before are saved with the profile.
            let unsaved = session.tokens.unsaved.entry(of: user.uid, in: slot)
            let contents = try operation.revise(slot, user.uid) { account in
                let isBehind = unsaved.map { $0.stored == account.tokens } ?? false
                guard account.profile != profile.datedAs(account.profile) || isBehind else { return false }
                // The tokens that an answer is made of do not have the dates.
                account.profile = profile.datedAs(account.profile)
                if let unsaved, isBehind { account.tokens = unsaved.tokens }
                return true
            }
            if let unsaved {
                let found = contents.record.account(user.uid)?.tokens
                session.tokens.unsaved.settle(unsaved, in: slot, found: found)
            }
            // A user who is not in the slot any more still has the profile that the identity provider gives.
            if take(contents, in: slot, operation) == nil { user.replaceProfile(with: profile) }
        }
    }

    private func signOut(of slot: Slot, if condition: (Account) -> Bool) throws(AuthError) {
        let uid = user.uid
        try session.withOperation { operation throws(AuthError) in
            let (contents, _) = try operation.signOut(uid, from: slot, ifDamaged: .fail) { account, _ in
                account.uid == uid && condition(account)
            }
            if operation.state.slot == slot { operation.take(contents, in: slot) }
        }
    }
}
