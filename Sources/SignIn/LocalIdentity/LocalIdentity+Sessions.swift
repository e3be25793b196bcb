internal import FoundationEssentials
public import SharedAuth

extension LocalIdentity {
    /// Creates an anonymous user and signs them in.
    ///
    /// - Throws: `quotaExceeded` if there is no room left.
    public func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        let keys = try await records.keys(ifDamaged: .replaceEmpty)
        let account = LocalAccount(uid: AccountID.make(random), tenantID: tenantID, created: now().wholeSeconds)
        return try await enrol(account, keys) { _ in nil }
    }

    /// Signs a user in with an e-mail address and a password.
    ///
    /// - Throws: `invalidEmail`, `userNotFound`, `wrongPassword`, `userDisabled`; `quotaExceeded` if there is no room
    ///   left; `operationNotAllowed` for another kind of credential, such as a custom token, since there is no server
    ///   that could have issued it.
    public func signIn(
        with credential: AuthCredential,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        switch credential.content {
        case .password(let email, let password):
            return try await signIn(email: EmailAddress(email), password: password, tenantID: tenantID) { _ in nil }
        case .customToken:
            throw AuthError(
                .operationNotAllowed,
                "The embedded identity provider accepts no custom tokens: it has no server that could issue one. Sign "
                    + "in anonymously or with an e-mail address and a password, or configure another identity provider."
            )
        case .oauth, .emailLink:
            throw AuthError(
                .operationNotAllowed,
                "The embedded identity provider does not accept \(credential.provider) credentials. Sign in "
                    + "anonymously or with an e-mail address and a password, or configure another identity provider."
            )
        }
    }

    /// Creates a user with an e-mail address and a password and signs them in.
    ///
    /// - Throws: `invalidEmail`; `weakPassword` for fewer than six characters; `emailAlreadyInUse`; `quotaExceeded` if
    ///   there is no room left.
    public func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        let email = try EmailAddress(new: email)
        try Self.check(newPassword: password)
        // Checked first so that a taken address costs no hashing. The check in `enrol` is the decisive one.
        guard try await find(email, tenantID) == nil else { throw .taken }
        let hash = try await PasswordHash.make(of: password, cost: settings.passwordCost, salt: random(16))
        let keys = try await records.keys(ifDamaged: .replaceEmpty)
        let account = LocalAccount(
            uid: AccountID.make(inShardOf: email, tenantID, random),
            tenantID: tenantID,
            email: email.text,
            password: hash,
            created: now().wholeSeconds
        )
        let lapsed = try await lapsedClaim(of: email, tenantID)
        return try await enrol(account, keys, if: lapsed?.condition) { shard in
            lapsed?.remove(from: &shard)
            return shard.account(withEmail: email, tenantID: tenantID) == nil ? nil : .taken
        }
    }

    /// Signs a user in if the password is right, unless `objection` returns an error for the account.
    func signIn(
        email: EmailAddress,
        password: String,
        tenantID: String?,
        unless objection: (LocalAccount) -> AuthError?
    ) async throws(AuthError) -> IdentityGrant {
        guard let found = try await find(email, tenantID), let hash = found.password else {
            throw AuthError(
                .userNotFound,
                "No account has this e-mail address. Check the address, or create the account."
            )
        }
        guard try await hash.matches(password) else {
            throw AuthError(.wrongPassword, "The password is wrong.")
        }
        if let error = objection(found) { throw error }
        let strongerHash = await strongerHash(of: password, than: hash)
        let keys = try await records.keys(ifDamaged: .replaceEmpty)
        let token = RefreshToken(uid: found.uid, secret: random(RefreshToken.secretSize), keys)
        let time = now().wholeSeconds
        let account = try await records.update(accountOf: found.uid) { shard throws(AuthError) in
            var account = try shard.activeAccount(found.uid)
            account.begin(Session(token, at: time))
            // Do not overwrite a password that was changed in the meantime.
            if let strongerHash, account.password == hash { account.password = strongerHash }
            shard[found.uid] = account
            return account
        }
        return try await grant(account, token, keys, isNewUser: false)
    }

    /// Throws `weakPassword` for fewer than six characters.
    static func check(newPassword password: String) throws(AuthError) {
        guard password.count >= 6 else {
            throw AuthError(.weakPassword, "The password is too short: choose one of at least six characters.")
        }
    }

    /// Returns a new hash if the present one is weaker than the settings require, otherwise nil. Also nil if the
    /// machine lacks the memory for it, so that users can still sign in.
    private func strongerHash(of password: String, than hash: PasswordHash) async -> PasswordHash? {
        guard hash.isWeaker(than: settings.passwordCost) else { return nil }
        return try? await PasswordHash.make(of: password, cost: settings.passwordCost, salt: random(16))
    }

    /// Returns the account with an address, or nil.
    func find(_ email: EmailAddress, _ tenantID: String?) async throws(AuthError) -> LocalAccount? {
        let number = AccountShard.number(of: email, tenantID: tenantID)
        let found = try await records.shard(number, ifDamaged: .replaceEmpty)
            .account(withEmail: email, tenantID: tenantID)
        guard let uid = found?.claimant else { return found }
        let account = try await records.shard(AccountShard.number(of: uid))[uid]
        return account?.email == email.text ? account : nil
    }

    /// Stores a new account with its first session, unless `objection` returns an error for the shard.
    private func enrol(
        _ account: LocalAccount,
        _ keys: IdentityKeys,
        if condition: IdentityRecords.Condition? = nil,
        unless objection: @escaping @Sendable (inout AccountShard) -> AuthError?
    ) async throws(AuthError) -> IdentityGrant {
        var account = account
        let token = RefreshToken(uid: account.uid, secret: random(RefreshToken.secretSize), keys)
        account.begin(Session(token, at: account.created))
        let enrolled = account
        try await records.update(accountOf: enrolled.uid, ifDamaged: .replaceEmpty, if: condition) {
            shard throws(AuthError) in
            if let error = objection(&shard) { throw error }
            shard.add(enrolled)
        }
        return try await grant(enrolled, token, keys, isNewUser: true)
    }

    func grant(
        _ account: LocalAccount,
        _ token: RefreshToken,
        _ keys: IdentityKeys,
        isNewUser: Bool
    ) async throws(AuthError) -> IdentityGrant {
        IdentityGrant(
            profile: account.profile,
            tokens: try await tokens(of: account, since: account.signedIn, token, keys),
            isNewUser: isNewUser
        )
    }

    /// Exchanges a refresh token for a new ID token and a new refresh token.
    ///
    /// Until the new refresh token has been used, the old one returns it again.
    ///
    /// - Throws: `invalidUserToken` for a token that was never issued; `userTokenExpired` for one that was replaced or
    ///   whose session ended; `userNotFound` if the account was deleted; `userDisabled`.
    public func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        let keys = try await records.keys()
        guard let token = RefreshToken(tokens.refreshToken ?? "", keys) else {
            throw AuthError(
                .invalidUserToken,
                "The refresh token was not issued by the identity provider of project \(project). Sign in again."
            )
        }
        let (time, nonce) = (now().wholeSeconds, random(RefreshToken.nonceSize))
        let (account, session, successor) = try await records.update(accountOf: token.uid) {
            shard throws(AuthError) in
            var account = try shard.activeAccount(token.uid)
            guard let (session, successor) = account.rotate(token, nonce: nonce, keys, at: time) else {
                throw AuthError(
                    .userTokenExpired,
                    "The refresh token was replaced by a newer one that is in use, or its session ended. Sign in again."
                )
            }
            shard[token.uid] = account
            return (account, session, successor)
        }
        var refreshed = try await self.tokens(of: account, since: session.started, successor, keys)
        refreshed.uid = account.uid
        return refreshed
    }

    /// Returns the public key for checking ID tokens, as a JSON Web Key Set (RFC 7517) for a back end.
    package func publicKeys() async throws(AuthError) -> String {
        try await records.keys().publicKeySet
    }

    /// Signs an ID token and returns it with the refresh token.
    func tokens(
        of account: LocalAccount,
        since signedIn: Int,
        _ refreshToken: RefreshToken,
        _ keys: IdentityKeys
    ) async throws(AuthError) -> UserTokens {
        let issued = now().wholeSeconds
        let claims = IDTokenClaims(
            account,
            project: project,
            signedIn: signedIn,
            issued: issued,
            expires: issued + settings.tokenSeconds
        )
        return UserTokens(
            idToken: try claims.sign(keys),
            refreshToken: refreshToken.text,
            expirationDate: Date(timeIntervalSince1970: TimeInterval(claims.expires))
        )
    }

    /// Returns the uid of the user whom the ID token was issued to.
    func uid(of tokens: UserTokens) async throws(AuthError) -> String {
        let keys = try await records.keys()
        return try IDTokenClaims(tokens.idToken ?? "", keys, project: project, now: now().wholeSeconds).subject
    }
}

extension AuthError {
    /// The error for an address that belongs to another account.
    static var taken: AuthError {
        AuthError(.emailAlreadyInUse, "An account with this e-mail address exists. Sign in to it instead.")
    }
}
