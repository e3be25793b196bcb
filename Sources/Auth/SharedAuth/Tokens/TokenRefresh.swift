internal import Dispatch

/// Provides valid tokens of users: the present ones, or refreshed ones. One process refreshes for all, and once for all
/// its callers. A token that was received and could not be saved stays in memory (``UnsavedTokens``).
extension AuthEngine {
    /// The time that a caller waits for another process's exchange if the caller's token can still be used: as long as
    /// most exchanges take.
    private static let patience = Duration.seconds(2)

    /// Returns the user's tokens, refreshed if need be.
    ///
    /// A token that is due but has not expired is returned as it is if another process keeps the turn to exchange it.
    ///
    /// - Parameters:
    ///   - scopes: the scopes of the requested access token; nil if no access token is requested.
    ///   - isPatient: whether to wait for the turn even if the present token would do.
    /// - Throws: `timedOut` after ``exchangeTime``, which a forced refresh may take twice; an error of the identity
    ///   provider, `issuerMismatch`, or an error of the keyring. New tokens that could not be saved stay in memory.
    func tokens(
        of user: User,
        forcing: Bool,
        scopes: Set<String>? = nil,
        isPatient: Bool = false
    ) async throws(AuthError) -> UserTokens {
        if let refreshTimer {
            // This creates the identity provider, if nothing else has yet.
            _ = identityProvider.issued(user.snapshot)
            refreshTimer.want()
        }
        let present = user.snapshot.tokens
        if !forcing, tokenRules.isValid(present, for: scopes) { return present }
        let slot = user.slot
        let key = RefreshCoalescer.Key(
            slot: slot,
            account: user.id,
            object: slot == nil ? ObjectIdentifier(user) : nil,
            scopes: scopes
        )
        if forcing { await refreshes.waitForRequest(of: key) }
        let tokens = forcing ? user.snapshot.tokens : present
        let canWait = forcing || isPatient || !tokenRules.isValid(tokens, for: scopes, atLeast: TokenRules.usableTime)
        let refreshed = try await refreshes.tokens(
            for: key,
            leavingAfter: canWait ? nil : Self.patience
        ) { [self] wait async throws(AuthError) in
            try await refresh(user, rejecting: tokens, for: scopes, in: slot, wait)
        }
        return refreshed ?? tokens
    }

    /// Refreshes the user's tokens if they expire soon, and saves those that could not be saved before.
    ///
    /// - Throws: as ``tokens(of:forcing:scopes:isPatient:)``; an error of the keyring if tokens cannot be saved.
    func keepFresh(_ user: User) async throws(AuthError) {
        let tokens = try await tokens(of: user, forcing: false, isPatient: true)
        guard let slot = user.slot, unsavedTokens.entry(of: user.id, in: slot)?.tokens == tokens else { return }
        _ = try await saveTokens(of: user, in: slot)
    }

    private func refresh(
        _ user: User,
        rejecting rejected: UserTokens,
        for scopes: Set<String>?,
        in slot: Slot?,
        _ wait: TurnWait
    ) async throws(AuthError) -> UserTokens {
        let provider = try identityProvider.get(for: user.snapshot)
        let uid = user.uid
        let runner = ExchangeRunner<Void>(
            user: user,
            engine: self,
            request: { tokens async throws(AuthError) in
                try await provider.exchange(tokens, of: uid, for: scopes ?? [])
            },
            confirmation: { tokens async throws(AuthError) in try await provider.exchange(tokens, of: uid, for: []) },
            onTurn: { () throws(AuthError) in try wait.end() },
            deadline: .after(exchangeTime, cancelledBy: wait.cancellation)
        )
        return try await runner.run(
            TokenExchange(.refresh(scopes: scopes), of: uid, in: slot, with: rejected, tokenRules)
        ).tokens
    }

    /// Saves the kept tokens of a user of this slot, there or in the slot that the user was migrated to.
    ///
    /// - Returns: true if the user is stored, or if there is nothing to save.
    /// - Throws: an error of the keyring; the tokens stay in memory.
    func saveTokens(of user: User, in slot: Slot) async throws(AuthError) -> Bool {
        try await onQueue { [self] () throws(AuthError) in
            try withOperation { operation throws(AuthError) in
                guard let entry = unsavedTokens.entry(of: user.id, in: slot) else { return true }
                let place = ChangePlace.account(user.id, lastSeenIn: slot)
                var changed = try operation.revise(user.id, in: place, entry.write)
                // Without the account the tokens are revoked, so it is looked for twice.
                if changed.contents.record.account(user.id) == nil {
                    changed = try operation.revise(user.id, in: place, entry.write)
                }
                unsavedTokens.settle(entry, in: changed.slot, found: changed.contents.record.account(user.id)?.tokens)
                return operation.take(changed.contents, in: changed.slot, for: user) != nil
            }
        }
    }

    /// The maximum time that a call holds the turn if it may invalidate the present tokens: twice the identity
    /// provider's time, because the call continues when no caller waits for it. Another exchange of the same refresh
    /// token in the meantime may look like theft.
    var longestExchange: Duration { options.longestExchange ?? options.identityTimeout * 2 }

    /// The time of a call that exchanges tokens, including the wait for another process's exchange: the keyring's time
    /// and the identity provider's.
    var exchangeTime: Duration { options.timeout + options.identityTimeout }

    /// Returns the remaining part of the identity provider's time; at least a second, because an exchange that has
    /// begun is to be used.
    func identityTime(within deadline: Deadline) -> Duration {
        min(options.identityTimeout, max(deadline.remaining, .seconds(1)))
    }
}

extension Operation {
    /// Saves the tokens that could not be saved before, if the slot still has those that they replace.
    ///
    /// - Returns: the contents of the slot afterwards.
    func saveUnsaved(over contents: SlotContents, in slot: Slot) throws(AuthError) -> SlotContents {
        let entries = engine.unsavedTokens.entries(in: slot)
        if entries.isEmpty { return contents }
        // Tokens without an account are dropped, so it is looked for twice.
        var contents = contents.revision == nil ? try slots.read(slot, by: deadline) : contents
        for entry in entries {
            if contents.record.account(entry.id).map(entry.replaces) == true {
                contents = try revise(entry.id, in: .named(slot), entry.write).contents
            }
            engine.unsavedTokens.settle(entry, in: slot, found: contents.record.account(entry.id)?.tokens)
        }
        return contents
    }
}

extension IdentityProvider {
    /// Refreshes tokens. The result has the new tokens even if the rest of the response was refused.
    ///
    /// - Throws: `userMismatch` if the tokens belong to an account other than `uid`.
    fileprivate func exchange(
        _ tokens: UserTokens,
        of uid: String,
        for scopes: Set<String>
    ) async throws(AuthError) -> ExchangeAnswer<Void> {
        var answer = try await ExchangeAnswer<Void>.of { () async throws(AuthError) in
            ((), try await refresh(tokens, scopes: scopes))
        }
        guard answer.tokens?.uid == nil || answer.tokens?.uid == uid else {
            throw AuthError(
                .userMismatch,
                "The identity provider returned the tokens of another user for a refresh. They were discarded.",
                remedy: "Try again; if the problem persists, sign in again."
            )
        }
        answer.tokens?.uid = nil
        return answer
    }
}
