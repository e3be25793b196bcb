internal import FoundationEssentials
public import SharedAuth

/// Changes of an account's sign-in method, and sign-out.
extension LocalIdentity {
    /// Adds an e-mail address and a password to an anonymous account, which keeps its uid.
    ///
    /// - Throws: `providerAlreadyLinked` if the account already has them; `invalidEmail`; `weakPassword` for fewer than
    ///   six characters; `emailAlreadyInUse`; `quotaExceeded` if there is no room left; `operationNotAllowed` for
    ///   another kind of credential; the errors of `profile(for:)`.
    public func link(_ credential: AuthCredential, to tokens: UserTokens) async throws(AuthError) -> IdentityGrant {
        guard case .password(let text, let password) = credential.content else {
            throw AuthError(
                .operationNotAllowed,
                "The embedded identity provider does not accept \(credential.provider) credentials. Link an "
                    + "e-mail address and a password."
            )
        }
        let email = try EmailAddress(new: text)
        try Self.check(newPassword: password)
        let hash = try await PasswordHash.make(of: password, cost: settings.passwordCost, salt: random(16))
        let (account, fresh) = try await change(tokens, claiming: email) { account throws(AuthError) in
            guard account.email == nil else {
                throw AuthError(.providerAlreadyLinked, "The account already has an e-mail address and a password.")
            }
            (account.email, account.password) = (email.text, hash)
        }
        return IdentityGrant(profile: account.profile, tokens: fresh, isNewUser: false)
    }

    /// Removes the e-mail address and the password. The account is then anonymous again and can be reached only through
    /// its sessions.
    ///
    /// - Throws: `noSuchProvider` if the account does not have them, or for another provider; the errors of
    ///   `profile(for:)`.
    public func unlink(providerID: String, from tokens: UserTokens) async throws(AuthError) -> AccountChange {
        let none = AuthError(.noSuchProvider, "The account has no sign-in method \(providerID).")
        guard providerID == EmailAuthProvider.id else { throw none }
        let (account, fresh) = try await change(tokens) { account throws(AuthError) in
            guard account.email != nil else { throw none }
            (account.email, account.password) = (nil, nil)
        }
        return AccountChange(profile: account.profile, tokens: fresh)
    }

    /// Signs in to the account again. The earlier session remains valid.
    ///
    /// - Throws: `userMismatch` if the credential belongs to another account or to none; `invalidEmail`;
    ///   `wrongPassword`; `userDisabled`; `quotaExceeded` if there is no room left; `operationNotAllowed` for another
    ///   kind of credential.
    public func reauthenticate(
        with credential: AuthCredential,
        for profile: UserProfile
    ) async throws(AuthError) -> IdentityGrant {
        let mismatch = AuthError(.userMismatch, "The credential does not belong to \(profile.uid).")
        guard case .password(let text, let password) = credential.content else {
            return try await signIn(with: credential, tenantID: profile.tenantID)
        }
        let email = try EmailAddress(text)
        // Compare the accounts before checking the password, so that another account's password is never tested.
        guard try await find(email, profile.tenantID)?.uid == profile.uid else { throw mismatch }
        return try await signIn(email: email, password: password, tenantID: profile.tenantID) {
            $0.uid == profile.uid ? nil : mismatch
        }
    }

    /// Updates the e-mail address, without verifying it. The account's other sessions end.
    ///
    /// - Throws: `invalidEmail`; `emailAlreadyInUse`; `noSuchProvider` for an anonymous account; `quotaExceeded` if
    ///   there is no room left; the errors of `profile(for:)`.
    public func updateEmail(to email: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        let email = try EmailAddress(new: email)
        let (account, fresh) = try await change(tokens, claiming: email, endingOthers: true) {
            account throws(AuthError) in
            try Self.checkHasPassword(account)
            account.email = email.text
        }
        return AccountChange(profile: account.profile, tokens: fresh)
    }

    /// Updates the password. The account's other sessions end: their refresh tokens immediately, their ID tokens when
    /// they expire.
    ///
    /// - Throws: `weakPassword` for fewer than six characters; `noSuchProvider` for an anonymous account; the errors of
    ///   `profile(for:)`.
    public func updatePassword(to password: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        try Self.check(newPassword: password)
        let hash = try await PasswordHash.make(of: password, cost: settings.passwordCost, salt: random(16))
        let (account, fresh) = try await change(tokens, endingOthers: true) { account throws(AuthError) in
            try Self.checkHasPassword(account)
            account.password = hash
        }
        return AccountChange(profile: account.profile, tokens: fresh)
    }

    /// Ends the session of the refresh token. Does nothing for a token that was not issued here or whose session has
    /// already ended.
    public func revoke(_ tokens: UserTokens) async throws(AuthError) {
        guard let token = RefreshToken(tokens.refreshToken ?? "", try await records.keys()) else { return }
        try await records.update(accountOf: token.uid) { shard in shard[token.uid]?.endSession(of: token) }
    }

    private static func checkHasPassword(_ account: LocalAccount) throws(AuthError) {
        guard account.email == nil else { return }
        throw AuthError(.noSuchProvider, "The account is anonymous. Link an e-mail address and a password first.")
    }

    /// Changes the account that the tokens belong to, and returns it with the tokens that replace them.
    ///
    /// - Parameters:
    ///   - claimed: The new address of the account.
    ///   - endingOthers: Pass true to end all sessions except this one.
    private func change(
        _ tokens: UserTokens,
        claiming claimed: EmailAddress? = nil,
        endingOthers: Bool = false,
        _ edit: @escaping @Sendable (inout LocalAccount) throws(AuthError) -> Void
    ) async throws(AuthError) -> (LocalAccount, UserTokens) {
        let uid = try await uid(of: tokens)
        let former = try await records.shard(of: uid).activeAccount(uid)
        let keys = try await records.keys()
        let present = tokens.refreshToken.flatMap { RefreshToken($0, keys) }
        let (time, nonce) = (now().wholeSeconds, random(RefreshToken.nonceSize))
        let new = RefreshToken(uid: uid, secret: random(RefreshToken.secretSize), keys)
        var changed = former
        try edit(&changed)
        // Claimed before the account changes, so that no other account gets the address in between. The claim must be
        // fresh when the account changes, or it could lapse before the change is stored. It has another lock than the
        // account: only a process that is stopped between this check and its write, for half of the grace period, can
        // still give one address to two accounts.
        var claim: IdentityRecords.Condition?
        if let claimed { claim = try await self.claim(claimed, for: former) }
        let (account, session, token) = try await records.update(accountOf: uid, if: claim) {
            shard throws(AuthError) in
            var account = try shard.activeAccount(uid)
            if let claimed, let other = shard.account(withEmail: claimed, tenantID: account.tenantID),
                other.uid != uid, other.claimant != uid
            {
                throw .taken
            }
            try edit(&account)
            // Continue the present session if the tokens have its refresh token.
            let rotated = present.flatMap { account.rotate($0, nonce: nonce, keys, at: time) }
            let (session, token) = rotated ?? (Session(new, at: time), new)
            if rotated == nil { account.begin(session) }
            if endingOthers { account.endSessions(but: session) }
            shard[uid] = account
            return (account, session, token)
        }
        if let email = former.email, email != account.email { await release(email, of: former) }
        return (account, try await self.tokens(of: account, since: session.started, token, keys))
    }

    /// Reserves an address for an account if the two belong to different shards. A claim that the account has already is
    /// renewed, unless it is fresh.
    ///
    /// - Returns: The condition that the address is still reserved for the account, by a fresh claim; nil if their shard
    ///   is the same.
    /// - Throws: `emailAlreadyInUse`.
    private func claim(
        _ email: EmailAddress,
        for account: LocalAccount
    ) async throws(AuthError) -> IdentityRecords.Condition? {
        if let owner = try await find(email, account.tenantID), owner.uid != account.uid { throw .taken }
        let number = AccountShard.number(of: email, tenantID: account.tenantID)
        if number == AccountShard.number(of: account.uid) { return nil }
        let lapsed = try await lapsedClaim(of: email, account.tenantID)
        let entry = AddressClaim.make(of: email, for: account, at: now().wholeSeconds, random)
        try await records.update(accountOf: entry.uid, if: lapsed?.condition) { [now] shard throws(AuthError) in
            lapsed?.remove(from: &shard)
            if let found = shard.account(withEmail: email, tenantID: account.tenantID) {
                guard found.claimant == account.uid else { throw .taken }
                if AddressClaim.isFresh(found, at: now()) { return }
                shard[found.uid] = nil
            }
            shard.add(entry)
        }
        return IdentityRecords.Condition(shard: number) { [now] shard throws(AuthError) in
            guard let found = shard.account(withEmail: email, tenantID: account.tenantID),
                found.claimant == account.uid
            else { throw .taken }
            guard AddressClaim.isFresh(found, at: now()) else {
                throw AuthError(.timedOut, "The change of the account took too long; nothing was changed. Try again.")
            }
        }
    }

    /// An entry that reserves an address for an account that does not have it, and no longer counts.
    struct LapsedClaim: Sendable {
        fileprivate let entry: LocalAccount
        /// The condition that the account still does not have the address.
        let condition: IdentityRecords.Condition

        /// Removes the entry, unless it was renewed in the meantime.
        func remove(from shard: inout AccountShard) {
            if shard[entry.uid] == entry { shard[entry.uid] = nil }
        }
    }

    /// Returns the entry of an address if it has lapsed, or nil.
    func lapsedClaim(of email: EmailAddress, _ tenantID: String?) async throws(AuthError) -> LapsedClaim? {
        let number = AccountShard.number(of: email, tenantID: tenantID)
        let shard = try await records.shard(number, ifDamaged: .replaceEmpty)
        guard let entry = shard.account(withEmail: email, tenantID: tenantID), let uid = entry.claimant,
            AddressClaim.hasLapsed(entry, at: now()), try await records.shard(of: uid)[uid]?.email != email.text
        else { return nil }
        let condition = IdentityRecords.Condition(shard: AccountShard.number(of: uid)) { shard throws(AuthError) in
            if shard[uid]?.email == email.text { throw .taken }
        }
        return LapsedClaim(entry: entry, condition: condition)
    }

    /// Releases an address that was reserved for an account in another shard. If this fails, the entry still lapses.
    func release(_ email: String, of account: LocalAccount) async {
        guard let address = try? EmailAddress(email) else { return }
        let number = AccountShard.number(of: address, tenantID: account.tenantID)
        let shard = try? await records.shard(number)
        guard let entry = shard?.account(withEmail: address, tenantID: account.tenantID),
            entry.claimant == account.uid
        else { return }
        try? await records.update(accountOf: entry.uid) { shard in shard[entry.uid] = nil }
    }
}
