/// The end of sessions at the identity provider, once their users were signed out here.
///
/// A session is left alone if another slot of the project still has its user, and if it is another issuer's. A slot whose record is
/// damaged or of a newer format has no say: one such would keep every session of the project alive. Slots of other projects are not
/// read: their users have signed in there by themselves, unless an app has copied one with `updateCurrentUser`.
extension AuthEngine {
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

    /// The accounts that are in the project's slots: of all apps and groups, and of each `AuthApp` of these, where the store can list
    /// them; else in the own slot and those of the declared groups.
    func storedAccounts() throws(AuthError) -> [Account] {
        if slots.store is any RecordListing { return try slots.accountsOfAllInstances(by: callDeadline) }
        var accounts: [Account] = []
        for slot in [Slot.own] + identity.accessGroups.map({ Slot.group($0.name) }) {
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
    /// Whether a revocation of the one may end the other: both are of the same user and issuer, which says the client too.
    ///
    /// That they began with different sign-ins makes no difference: at some identity providers, such as Google, the revocation of one
    /// refresh token ends all that the user has of the client.
    fileprivate func mayShareSession(with other: Account) -> Bool {
        id.mayMean(other.id) || other.id.mayMean(id)
    }
}
