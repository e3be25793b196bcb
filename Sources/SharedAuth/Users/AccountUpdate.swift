/// What an identity provider does to one user's account, and what becomes of it in the slot.
struct AccountUpdate: Sendable {
    let user: User
    let engine: AuthEngine

    /// Fetches the profile and saves it.
    func reload() async throws(AuthError) {
        let identityProvider = try engine.identityProvider.get(for: user.snapshot)
        // Where there are access tokens, the profile may be had for a valid one alone.
        let scopes: Set<String>? = user.snapshot.tokens.accessTokens.isEmpty ? nil : []
        let profile = try await call(with: scopes, endsSession: true) { tokens async throws(AuthError) in
            try await identityProvider.profile(for: tokens)
        }
        try check(profile)
        try await save(profile, in: user.slot)
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
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        _ = try await engine.tokens.exchange(of: user, for: engine, endsSession: true) {
            tokens async throws(AuthError) in
            let answer = try await change(accounts, tokens)
            try check(answer.profile)
            return (answer.profile, answer.tokens)
        } saving: { profile, slot async throws(AuthError) in
            try await save(profile, in: slot)
        }
    }

    /// Adds a way to sign in, or signs in again: the new tokens take the place of those that the slot has of the user.
    ///
    /// - Parameter endsSession: whether an error that says so ends the session.
    func renew(
        endsSession: Bool,
        _ obtain: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> IdentityGrant {
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        return try await engine.tokens.exchange(of: user, for: engine, endsSession: endsSession) {
            tokens async throws(AuthError) in
            let grant = try await obtain(accounts, tokens)
            try check(grant.profile)
            return (grant, grant.tokens)
        } saving: { grant, slot async throws(AuthError) in
            try await save(grant.profile, in: slot)
        }
    }

    /// Has an e-mail sent for the holder of the account.
    ///
    /// - Parameter endsSession: whether an error that says so ends the session.
    func send(
        endsSession: Bool,
        _ send: @escaping @Sendable (any EmailActions, UserTokens) async throws(AuthError) -> Void
    ) async throws(AuthError) {
        let actions = try engine.identityProvider.emailActions(for: user.snapshot)
        try await call(endsSession: endsSession) { tokens async throws(AuthError) in try await send(actions, tokens) }
    }

    /// Asks something about the account, which changes nothing of it.
    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> Answer
    ) async throws(AuthError) -> Answer {
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        return try await call(endsSession: true) { tokens async throws(AuthError) in
            try await question(accounts, tokens)
        }
    }

    /// Deletes the account and signs the user out.
    func delete() async throws(AuthError) {
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        try await call(endsSession: true) { tokens async throws(AuthError) in
            try await accounts.deleteAccount(for: tokens)
        }
        guard let slot = user.slot else { return }
        try await engine.onQueue { () throws(AuthError) in try signOut(of: slot) { _, _ in true } }
    }

    /// Calls the identity provider with the user's tokens, and once more if a process has exchanged them meanwhile, as it does after a
    /// change of the password.
    ///
    /// An error that ends the session counts once no process exchanges the tokens any more: until then those that the slot has may be
    /// good for nothing, though the session goes on. Without the turn nobody is signed out.
    private func call<Answer: Sendable>(
        with scopes: Set<String>? = nil,
        endsSession: Bool,
        _ request: @escaping @Sendable (UserTokens) async throws(AuthError) -> Answer
    ) async throws(AuthError) -> Answer {
        let deadline = Deadline.after(engine.exchangeTime)
        var used = try await engine.tokens.tokens(of: user, forcing: false, scopes: scopes, for: engine)
        var isAgain = false
        while true {
            let tokens = used
            do throws(AuthError) {
                return try await engine.identityProvider.ask { () async throws(AuthError) in try await request(tokens)
                }
            } catch {
                guard error.code.endsSession, let slot = user.slot,
                    let turn = try? await ExchangeTurn.taken(for: user, in: slot, engine, by: deadline)
                else { throw error }
                defer { turn.end() }
                if !isAgain, let stored = turn.stored, stored != tokens {
                    (used, isAgain) = (stored, true)
                    continue
                }
                if endsSession { try await reject(tokens, in: turn.slot, because: error) }
                throw error
            }
        }
    }

    /// Throws the identity provider's error; if it ends the session, the user is signed out first, unless the slot has
    /// other tokens than those that were refused. To be called by whoever has the turn.
    func reject(_ tokens: UserTokens, in slot: Slot, because error: AuthError) async throws(AuthError) -> Never {
        if error.code.endsSession {
            try? await engine.onQueue { () throws(AuthError) in
                try signOut(of: slot) { engine.tokens.unsaved.overlay($0, in: $1).tokens == tokens }
            }
        }
        throw error
    }

    /// Takes over what the slot has of the user; for the slot in use, listeners hear of it.
    @discardableResult
    func take(_ contents: SlotContents, in slot: Slot, _ operation: Operation) -> Account? {
        let contents =
            operation.isInUse(slot)
            ? operation.take(contents, in: slot) : engine.tokens.unsaved.overlay(contents, in: slot)
        let account = contents.record.account(user.id)
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

    private func save(_ profile: UserProfile, in slot: Slot?) async throws(AuthError) {
        guard let slot else { return user.replaceProfile(with: profile) }
        try await engine.onQueue { () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in try save(profile, in: slot, operation) }
        }
    }

    private func save(_ profile: UserProfile, in slot: Slot, _ operation: Operation) throws(AuthError) {
        // Tokens that could not be saved before are saved with the profile.
        let unsaved = engine.tokens.unsaved.entry(of: user.id, in: slot)
        let changed = try operation.revise(user.id, in: .account(user.id, lastSeenIn: slot)) { account in
            let isBehind = unsaved?.write(&account) ?? false
            guard account.profile != profile.datedAs(account.profile) || isBehind else { return false }
            // The tokens that an answer is made of do not have the dates.
            account.profile = profile.datedAs(account.profile)
            return true
        }
        if let unsaved {
            let found = changed.contents.record.account(user.id)?.tokens
            engine.tokens.unsaved.settle(unsaved, in: changed.slot, found: found)
        }
        // A user who is not in the slot any more still has the profile that the identity provider gives.
        if take(changed.contents, in: changed.slot, operation) == nil { user.replaceProfile(with: profile) }
    }

    private func signOut(of slot: Slot, if condition: @escaping (Account, Slot) -> Bool) throws(AuthError) {
        let id = user.id
        try engine.withOperation { operation throws(AuthError) in
            let (changed, _) = try operation.signOut(
                from: .account(id, lastSeenIn: slot),
                ifDamaged: .fail,
                withLost: { $0.mayMean(id) }
            ) { account, found in
                account.id == id && condition(account, found.slot)
            }
            if operation.isInUse(changed.slot) { operation.take(changed) }
        }
    }
}
