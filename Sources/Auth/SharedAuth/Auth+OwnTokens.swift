internal import FoundationEssentials

extension Auth {
    /// Signs a user in with tokens that the app has obtained itself, e.g. of a server of its own, and makes that user current and stored.
    ///
    /// - Parameter issuer: who issued the account; nil: the app's identity provider, or without one the issuer that the ID token names.
    ///   Only an identity provider of this issuer refreshes the tokens.
    /// - Throws: `internalError` without a uid, `tenantIDMismatch`, or an error of the keyring; then nothing changes.
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
        return try await engine.onQueue { [self] () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in
                if operation.state.tenant.isChosen { try operation.state.checkTenant(of: account) }
                let changed = try operation.signIn(account)
                let user = User(account, auth: self, slot: changed.slot)
                operation.signedIn(user, in: changed.slot, changed.contents)
                return user
            }
        }
    }
}
