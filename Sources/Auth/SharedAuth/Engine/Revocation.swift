/// Revokes sessions at the identity provider after their users were signed out here, or could not be signed in.
///
/// The session of a signed-out user is kept if another slot of the project still has its user, or if another issuer
/// issued it. Slots whose record is damaged or of a newer format are ignored: one of them would keep every session of
/// the project alive. Slots of other projects are not read: their users signed in there separately, unless an app
/// copied one with `updateCurrentUser`.
extension AuthEngine {
    /// Revokes the sessions of signed-out accounts, without waiting for the result.
    func revokeInBackground(_ ended: [Account]) {
        if ended.isEmpty { return }
        Task { try? await revoke(ended) }
    }

    /// Revokes the sessions of accounts that a sign-in has replaced, as after a sign-out. Errors are ignored, and
    /// cancelling the caller's task does not cancel the calls.
    func revokeDropped(_ dropped: [Account]) async {
        if dropped.isEmpty { return }
        await Task { try? await revoke(dropped) }.value
    }

    /// Revokes the sessions of signed-out accounts, all at the same time.
    ///
    /// - Throws: `sessionNotRevoked` if a revocation fails, after all were tried, or if the slots cannot be read.
    func revoke(_ ended: [Account]) async throws(AuthError) {
        // The slots are read only if there is something to revoke.
        let revocable = ended.filter { (try? identityProvider.get(for: $0))?.revokesSessions ?? false }
        if revocable.isEmpty { return }
        let end = Deadline.after(options.revocationTimeout)
        var failure: AuthError?
        do throws(AuthError) {
            let stored = try await offload(timeout: end.remaining) { [self] () throws(AuthError) in
                try storedAccounts()
            }
            failure = await withTaskGroup { group in
                for account in revocable where !stored.contains(where: { $0.mayShareSession(with: account) }) {
                    group.addTask { await self.failure(ofRevoking: account, by: end) }
                }
                return await group.reduce(nil) { $0 ?? $1 }
            }
        } catch {
            failure = error
        }
        guard let failure else { return }
        throw AuthError(
            .sessionNotRevoked,
            "The user was signed out, but the session was not revoked at the identity provider: \(failure.message)",
            remedy: "Nothing needs to be repeated here. End the session at the identity provider, if that matters.",
            underlying: failure
        )
    }

    /// Revokes the session of a grant that was not stored, so that it does not stay live without a holder. Errors are
    /// ignored, and cancelling the caller's task does not cancel the call.
    ///
    /// An identity provider that returns the tokens of a stored session again keeps that session.
    func revokeUnstored(_ account: Account) async {
        guard (try? identityProvider.get(for: account))?.revokesSessions == true else { return }
        if await isStored(account.tokens) || isKept(account) { return }
        _ = await failure(ofRevoking: account, by: .after(options.revocationTimeout), isCancellable: false)
    }

    /// Returns whether a slot may have the session of a grant's tokens.
    ///
    /// Of a grant with a refresh token reads no slot: the failure to store the grant may be that no slot can be read,
    /// and other slots do not get a refresh token again. An access token may be that of any app.
    private func isStored(_ tokens: UserTokens) async -> Bool {
        if state.accounts.contains(where: { $0.tokens.areOfSession(of: tokens) }) { return true }
        if tokens.refreshToken != nil || tokens.accessTokens.isEmpty { return false }
        let sessions = StoredSessions(in: slots.store, project: options.project)
        let end = Deadline.after(options.revocationTimeout)
        let isStored = try? await offload(timeout: options.revocationTimeout) { () throws(AuthError) in
            sessions.mayContain(tokens, by: end)
        }
        return isStored ?? true
    }

    /// Keeps the tokens of a grant in memory if the slot in use has the same account, to be saved over that one's with
    /// the next read: revoking them may end the stored session, too.
    ///
    /// - Returns: true if the tokens are kept.
    private func isKept(_ account: Account) -> Bool {
        let state = state
        guard let slot = state.slot, let stored = state.accounts.first(where: { $0.id == account.id }) else {
            return false
        }
        unsavedTokens.keep(account.tokens, over: stored.tokens, of: stored.id, in: slot)
        return true
    }

    /// Ends the session of an interactive sign-in whose credential was not used. Errors are ignored, and cancelling the
    /// caller's task does not cancel the call.
    func discard(_ credential: AuthCredential, of provider: any FederatedAuthProvider) async {
        try? await identityProvider.ask(timeout: options.revocationTimeout, isCancellable: false) {
            () async throws(AuthError) in
            await provider.discard(credential)
        }
    }

    private func failure(
        ofRevoking account: Account,
        by end: Deadline,
        isCancellable: Bool = true
    ) async -> AuthError? {
        do throws(AuthError) {
            let provider = try identityProvider.get(for: account)
            try await identityProvider.ask(timeout: end.remaining, isCancellable: isCancellable) {
                () async throws(AuthError) in
                try await provider.revoke(account.tokens)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Returns the accounts in the project's slots. If the store can list its records, these are the slots of all apps
    /// and groups, for each of their `AuthApp` names; else the app's own slot, the slot in use and those of the
    /// declared groups. Blocks until the store responds.
    ///
    /// - Throws: an error of the store. Records that are damaged or of a newer format are ignored.
    func storedAccounts() throws(AuthError) -> [Account] {
        if slots.store is any RecordListing { return try slots.accountsOfAllInstances(by: callDeadline) }
        var accounts: [Account] = []
        let groups = identity.accessGroups.map { Slot.group($0.name) }
        for slot in Set([.own, state.slot, namedSlot].compactMap(\.self) + groups) {
            do throws(AuthError) {
                accounts += try slots.read(slot, by: callDeadline).record.accounts
            } catch {
                guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            }
        }
        return accounts
    }
}

extension Account {
    /// Returns whether revoking one session may end the other: both have the same user and issuer. The issuer names the
    /// client, too.
    ///
    /// Different sign-ins make no difference: at some identity providers, such as Google, revoking one refresh token
    /// ends all sessions that the user has with the client.
    fileprivate func mayShareSession(with other: Account) -> Bool {
        id.mayMean(other.id) || other.id.mayMean(id)
    }
}
