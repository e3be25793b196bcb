/// Calls the identity provider for one user's account, and saves the results in the user's slot.
struct AccountUpdate: Sendable {
    let user: User
    let engine: AuthEngine

    /// Fetches the profile and saves it.
    func reload() async throws(AuthError) {
        let provider = try engine.identityProvider.get(for: user.snapshot)
        // If the session has access tokens, the identity provider may return the profile only for a valid one.
        let scopes: Set<String>? = user.snapshot.tokens.accessTokens.isEmpty ? nil : []
        let profile = try await request(with: scopes) { tokens async throws(AuthError) in
            try await provider.profile(for: tokens)
        }
        try check(profile)
        _ = try await save(profile, in: user.slot)
    }

    /// Changes the profile and saves it.
    func commit(_ change: UserProfileChange) async throws(AuthError) {
        try await perform { accounts, tokens async throws(AuthError) in
            try await accounts.updateProfile(change, for: tokens)
        }
    }

    /// Changes the account at the identity provider. Saves new tokens first, then the profile, if the user is still
    /// stored.
    func perform(
        _ change: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> AccountChange
    ) async throws(AuthError) {
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        _ = try await exchange(.change) { tokens async throws(AuthError) in
            let answer = try await change(accounts, tokens)
            try check(answer.profile)
            return (answer.profile, answer.tokens)
        } saving: { profile, slot async throws(AuthError) in
            try await save(profile, in: slot)
        }
    }

    /// Adds a sign-in method. The new tokens replace the user's tokens in the slot.
    func link(
        _ obtain: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> IdentityGrant { try await renew(.change, obtain) }

    /// Signs in to the same account again. The new tokens replace the user's tokens in the slot. No error ends the
    /// session.
    func reauthenticate(
        _ obtain: @escaping @Sendable (any AccountProvider) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> IdentityGrant {
        try await renew(.renewal) { accounts, _ async throws(AuthError) in try await obtain(accounts) }
    }

    private func renew(
        _ call: TokenExchange.Call,
        _ obtain: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> IdentityGrant {
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        return try await exchange(call) { tokens async throws(AuthError) in
            let grant = try await obtain(accounts, tokens)
            try check(grant.profile)
            return (grant, grant.tokens)
        } saving: { grant, slot async throws(AuthError) in
            try await save(grant.profile, in: slot)
        }
    }

    /// Sends an e-mail for the account.
    ///
    /// - Parameter endsSession: Whether the errors that report the end of the session sign the user out.
    func send(
        endsSession: Bool,
        _ send: @escaping @Sendable (any EmailActions, UserTokens) async throws(AuthError) -> Void
    ) async throws(AuthError) {
        let actions = try engine.identityProvider.emailActions(for: user.snapshot)
        try await request(endsSession: endsSession) { tokens async throws(AuthError) in try await send(actions, tokens)
        }
    }

    /// Makes a request that does not change the account.
    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (any AccountProvider, UserTokens) async throws(AuthError) -> Answer
    ) async throws(AuthError) -> Answer {
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        return try await request { tokens async throws(AuthError) in try await question(accounts, tokens) }
    }

    /// Deletes the account and signs the user out.
    func delete() async throws(AuthError) {
        let accounts = try engine.identityProvider.accounts(for: user.snapshot)
        try await request { tokens async throws(AuthError) in try await accounts.deleteAccount(for: tokens) }
        guard let slot = user.slot else { return }
        try await engine.onQueue { () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in try operation.signOut(user.id, lastSeenIn: slot) }
        }
    }

    // MARK: Exchanges

    /// Makes a request with the user's tokens, and repeats it once if a process has exchanged them in the meantime.
    private func request<Answer: Sendable>(
        with scopes: Set<String>? = nil,
        endsSession: Bool = true,
        _ request: @escaping @Sendable (UserTokens) async throws(AuthError) -> Answer
    ) async throws(AuthError) -> Answer {
        let deadline = Deadline.after(engine.exchangeTime)
        let tokens = try await engine.tokens(of: user, forcing: false, scopes: scopes)
        let runner = ExchangeRunner<Answer>(
            user: user,
            engine: engine,
            request: { tokens async throws(AuthError) in ExchangeAnswer(value: try await request(tokens)) },
            deadline: deadline
        )
        let exchange = TokenExchange(
            .request,
            of: user.uid,
            in: user.slot,
            with: tokens,
            endsSession: endsSession,
            engine.tokenRules
        )
        return try await runner.value(of: exchange)
    }

    /// Makes a call that may return new tokens, and saves the result. No process refreshes the user's tokens at the
    /// same time.
    ///
    /// Continues when the caller's task is cancelled: the call may already have invalidated the current tokens, and the
    /// new ones must not be lost.
    ///
    /// - Throws: `outcomeUnknown` if the call takes longer than `Options.identityTimeout`; the errors of the call and
    ///   of ``AuthEngine/tokens(of:forcing:scopes:isPatient:)``.
    private func exchange<Value: Sendable>(
        _ call: TokenExchange.Call,
        _ request: @escaping @Sendable (UserTokens) async throws(AuthError) -> (Value, UserTokens?),
        saving save: @escaping @Sendable (Value, Slot?) async throws(AuthError) -> Bool
    ) async throws(AuthError) -> Value {
        let task = Task { () -> Result<Value, AuthError> in
            do throws(AuthError) {
                let deadline = Deadline.after(engine.exchangeTime)
                // Signing in again needs no valid tokens.
                let needsTokens = if case .renewal = call { false } else { true }
                let tokens = needsTokens ? try await engine.tokens(of: user, forcing: false) : user.snapshot.tokens
                let runner = ExchangeRunner<Value>(
                    user: user,
                    engine: engine,
                    request: { tokens async throws(AuthError) in
                        try await ExchangeAnswer.of { () async throws(AuthError) in try await request(tokens) }
                    },
                    save: save,
                    deadline: deadline
                )
                let exchange = TokenExchange(
                    call,
                    of: user.uid,
                    in: user.slot,
                    with: tokens,
                    endsSession: needsTokens,
                    engine.tokenRules
                )
                return .success(try await runner.value(of: exchange))
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    // MARK: Profiles

    private func check(_ profile: UserProfile) throws(AuthError) {
        if profile.uid == user.uid { return }
        throw AuthError(
            .userMismatch,
            "The identity provider returned a user other than \(user.uid); nothing was changed. Sign in again."
        )
    }

    /// Saves a profile, and tokens that could not be saved before.
    ///
    /// - Returns: True if the user is stored.
    private func save(_ profile: UserProfile, in slot: Slot?) async throws(AuthError) -> Bool {
        guard let slot else {
            user.replaceProfile(with: profile)
            return false
        }
        return try await engine.onQueue { () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in try save(profile, in: slot, operation) }
        }
    }

    private func save(_ profile: UserProfile, in slot: Slot, _ operation: Operation) throws(AuthError) -> Bool {
        let unsaved = engine.unsavedTokens.entry(of: user.id, in: slot)
        let changed = try operation.revise(user.id, in: .account(user.id, lastSeenIn: slot)) { account in
            let room = unsaved?.write(&account)
            guard account.profile != profile.datedAs(account.profile) || room != nil else { return nil }
            // A profile from the claims of a token may lack the dates.
            account.profile = profile.datedAs(account.profile)
            return room ?? .limited
        }
        if let unsaved {
            let found = changed.contents.record.account(user.id)?.tokens
            engine.unsavedTokens.settle(unsaved, in: changed.slot, found: found)
        }
        if operation.take(changed.contents, in: changed.slot, for: user) != nil { return true }
        // A user who is no longer in the slot gets the new profile nevertheless.
        user.replaceProfile(with: profile)
        return false
    }
}
