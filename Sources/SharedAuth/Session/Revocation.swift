internal import SecretService

/// The end of sessions at the identity provider, once their users were signed out here.
///
/// A session is left alone if another slot of the store may still use it, and if it is another issuer's.
extension Session {
    /// How long an awaited sign-out waits.
    private static var revocationTimeout: Duration { .seconds(5) }

    /// Revokes the sessions of accounts that were signed out, without waiting for it.
    func revokeInBackground(_ ended: [Account]) {
        if ended.isEmpty { return }
        Task { try? await revoke(ended) }
    }

    /// Revokes the sessions of accounts that were signed out, all at once.
    ///
    /// - Throws: `sessionNotRevoked`, when all were tried.
    func revoke(_ ended: [Account]) async throws(AuthError) {
        // The slots are looked at only where there is something to revoke.
        let revocable = ended.filter { (try? identityProvider.get(for: $0))?.revokesSessions ?? false }
        if revocable.isEmpty { return }
        let end = Deadline.after(Self.revocationTimeout)
        var failure: AuthError?
        do throws(AuthError) {
            let stored = try await offload(timeout: end.remaining) { [self] () throws(AuthError) in
                try storedAccounts()
            }
            failure = await withTaskGroup { group in
                for account in revocable where !stored.mayShareSession(of: account) {
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

    private func failure(ofRevoking account: Account, by end: Deadline) async -> AuthError? {
        do throws(AuthError) {
            let provider = try identityProvider.get(for: account)
            try await identityProvider.ask(timeout: end.remaining) { () async throws(AuthError) in
                try await provider.revoke(account.tokens)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Who is in the store's slots: of all projects, apps and groups, to which `updateCurrentUser` may have copied a user, where the store
    /// can list them; else in the own slot and those of the declared groups.
    private func storedAccounts() throws(AuthError) -> StoredAccounts {
        if slots.store is any RecordListing { return try slots.storedAccounts(by: callDeadline) }
        var accounts = StoredAccounts()
        for slot in [Slot.own] + identity.accessGroups.map({ Slot.group($0.name) }) {
            accounts.ofProject += try slots.read(slot, by: callDeadline).record.accounts
        }
        return accounts
    }
}

extension StoredAccounts {
    /// Whether some account may be of the same session: of the same user and issuer, unless the ID tokens are of different sign-ins.
    ///
    /// Users of another project have most likely signed in there by themselves: of those, who has the same tokens, or says to be of
    /// the same sign-in.
    fileprivate func mayShareSession(of account: Account) -> Bool {
        func isSame(_ other: Account) -> Bool { other.uid == account.uid && other.knownIssuer == account.knownIssuer }
        return ofProject.contains { isSame($0) && $0.tokens.isSameSignIn(as: account.tokens) ?? true }
            || ofOthers.contains { isSame($0) && $0.tokens.isSameSignIn(as: account.tokens) ?? false }
    }
}

extension UserTokens {
    /// Whether both came of one sign-in; nil if they do not say.
    fileprivate func isSameSignIn(as other: UserTokens) -> Bool? {
        if let refreshToken, refreshToken == other.refreshToken { return true }
        guard let signInTime, let otherTime = other.signInTime else { return nil }
        return signInTime == otherTime
    }

    /// When the user signed in, as the ID token says; a refresh does not change it.
    fileprivate var signInTime: Double? {
        idToken.flatMap { (try? AuthTokenResult(idToken: $0))?.claims["auth_time"]?.number }
    }
}
