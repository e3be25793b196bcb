internal import FoundationEssentials
public import SharedAuth

extension LocalIdentity {
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
        return try await self.tokens(of: account, since: session.started, successor, keys)
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
            idToken: try await claims.sign(keys),
            refreshToken: refreshToken.text,
            expirationDate: Date(timeIntervalSince1970: TimeInterval(claims.expires))
        )
    }

    /// The user that the ID token was issued to.
    func uid(of tokens: UserTokens) async throws(AuthError) -> String {
        let keys = try await records.keys()
        return try await IDTokenClaims(tokens.idToken ?? "", keys, project: project, now: now().wholeSeconds).subject
    }
}
