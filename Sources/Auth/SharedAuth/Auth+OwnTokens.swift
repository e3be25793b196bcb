internal import FoundationEssentials

extension Auth {
    /// Signs a user in with tokens that the app has obtained itself, e.g. from its own server. Stores the user, and
    /// makes it current.
    ///
    /// - Parameters:
    ///   - profile: The user's profile.
    ///   - tokens: The user's tokens.
    ///   - issuer: The issuer of the account. If nil, the issuer of the app's identity provider or, without one, the
    ///     issuer in the ID token. Only an identity provider of this issuer refreshes the tokens.
    /// - Throws: `internalError` if the profile has no uid; `tenantIDMismatch` if the user belongs to another tenant; a
    ///   keyring error. Nothing changes then.
    package func signIn(
        as profile: UserProfile,
        with tokens: UserTokens,
        issuedBy issuer: String?
    ) async throws(AuthError) -> User {
        try await engine.waitForFirstLoad()
        let account = Account(
            profile: profile,
            tokens: tokens.issued(at: engine.options.now()).beginningLineage(),
            project: engine.options.project,
            issuer: issuer ?? engine.identityProvider.issuer
        )
        try account.checkUID()
        let (user, dropped) = try await engine.onQueue { [self] () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in
                if operation.state.tenant.isChosen { try operation.state.checkTenant(of: account) }
                let (stored, dropped) = try operation.signIn(account)
                let user = User(stored.account, auth: self, slot: stored.slot)
                operation.apply(.signedIn(user, stored))
                return (user, dropped)
            }
        }
        await engine.revokeDropped(dropped)
        return user
    }
}
