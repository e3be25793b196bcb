internal import FoundationEssentials
public import SharedAuth

extension LocalIdentity {
    /// Creates an anonymous user.
    ///
    /// - Throws: `quotaExceeded` when there is no room left.
    public func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        let keys = try await records.keys(ifDamaged: .replaceEmpty)
        let account = LocalAccount(uid: AccountID.make(random), tenantID: tenantID, created: now().wholeSeconds)
        return try await enrol(account, keys) { _ in nil }
    }

    /// Signs a user in with an e-mail address and a password.
    ///
    /// - Throws: `invalidEmail`, `userNotFound`, `wrongPassword`, `userDisabled`, `quotaExceeded` when there is no room
    ///   left; `operationNotAllowed` for a custom token, since there is no server that could have made it.
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
                "The embedded identity provider takes no custom tokens: it has no server that could have made one. Sign in "
                    + "anonymously or with an e-mail address and a password, or configure another identity provider."
            )
        case .oauth, .emailLink:
            throw AuthError(
                .operationNotAllowed,
                "The embedded identity provider takes no credential of the kind \(credential.provider). Sign in anonymously or "
                    + "with an e-mail address and a password, or configure another identity provider."
            )
        }
    }

    /// Creates a user of an e-mail address and a password, and signs them in.
    ///
    /// - Throws: `invalidEmail`, `weakPassword` for fewer than six characters, `emailAlreadyInUse`, `quotaExceeded`
    ///   when there is no room left.
    public func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant {
        let email = try EmailAddress(new: email)
        try Self.check(newPassword: password)
        // Looked up first, so that a taken address costs no hashing; what counts is the look in `enrol`.
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
        return try await enrol(account, keys) { shard in
            if let lapsed { shard[lapsed] = nil }
            return shard.account(withEmail: email, tenantID: tenantID) == nil ? nil : .taken
        }
    }

    /// Signs a user in, unless `objection` has something against the account, whose password is right.
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
            // A password that was changed meanwhile stays.
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

    /// The hash that is to replace one that costs less to guess than the settings ask for; nil where that one will do.
    /// A machine without the memory for it signs its users in all the same.
    private func strongerHash(of password: String, than hash: PasswordHash) async -> PasswordHash? {
        guard hash.isWeaker(than: settings.passwordCost) else { return nil }
        return try? await PasswordHash.make(of: password, cost: settings.passwordCost, salt: random(16))
    }

    /// The account of an address, as it stands.
    func find(_ email: EmailAddress, _ tenantID: String?) async throws(AuthError) -> LocalAccount? {
        let number = AccountShard.number(of: email, tenantID: tenantID)
        let found = try await records.shard(number, ifDamaged: .replaceEmpty)
            .account(withEmail: email, tenantID: tenantID)
        guard let uid = found?.claimant else { return found }
        let account = try await records.shard(AccountShard.number(of: uid))[uid]
        return account?.email == email.text ? account : nil
    }

    /// Stores a new account with its first session, unless the shard it goes to has something against it.
    private func enrol(
        _ account: LocalAccount,
        _ keys: IdentityKeys,
        unless objection: @escaping @Sendable (inout AccountShard) -> AuthError?
    ) async throws(AuthError) -> IdentityGrant {
        var account = account
        let token = RefreshToken(uid: account.uid, secret: random(RefreshToken.secretSize), keys)
        account.begin(Session(token, at: account.created))
        let enrolled = account
        try await records.update(accountOf: enrolled.uid, ifDamaged: .replaceEmpty) { shard throws(AuthError) in
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
    /// Until the new refresh token has been used, the old one gives it again.
    ///
    /// - Throws: `invalidUserToken` for a token that was never issued, `userTokenExpired` for one that was replaced or
    ///   whose session ended, `userNotFound` when the account was deleted, `userDisabled`.
    public func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        let keys = try await records.keys()
        guard let token = RefreshToken(tokens.refreshToken ?? "", keys) else {
            throw AuthError(
                .invalidUserToken,
                "The refresh token is not one that the identity provider of project \(project) issued. Sign in again."
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

    /// The key that ID tokens are signed with, as a JSON Web Key Set (RFC 7517): what a back end checks them against.
    package func publicKeys() async throws(AuthError) -> String {
        try await records.keys().publicKeySet
    }

    /// Signs an ID token, and returns it with the refresh token.
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

    /// The user that the ID token was issued to.
    func uid(of tokens: UserTokens) async throws(AuthError) -> String {
        let keys = try await records.keys()
        return try IDTokenClaims(tokens.idToken ?? "", keys, project: project, now: now().wholeSeconds).subject
    }
}

extension AuthError {
    /// The error for an address that another account has.
    static var taken: AuthError {
        AuthError(.emailAlreadyInUse, "An account with this e-mail address exists. Sign in to it instead.")
    }
}
