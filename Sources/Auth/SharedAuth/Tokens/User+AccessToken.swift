extension User {
    /// Returns a valid access token: the present one while it lasts another minute, or half of its lifetime if that is
    /// shorter; else a new one.
    ///
    /// One of all processes that share the user calls the identity provider, and the others adopt the result. A session
    /// without a refresh token returns its access token until the token expires.
    ///
    /// - Parameters:
    ///   - scopes: the scopes that the token must have; empty for those granted at the sign-in. A token with more
    ///     scopes is also returned, and the one that the identity provider issued for these under other names.
    ///   - forcingRefresh: whether to get a new token in any case.
    /// - Throws: `operationNotAllowed` if the identity provider issues no access token for these scopes, for which it is
    ///   asked once a minute at most; otherwise as
    ///   `getIDToken(forcingRefresh:)`. An expired session without a refresh token throws `userTokenExpired`, and ends.
    public func accessToken(
        forScopes scopes: Set<String> = [],
        forcingRefresh: Bool = false
    ) async throws(AuthError) -> String {
        try await accessTokenAndExpiry(forScopes: scopes, forcingRefresh: forcingRefresh).token
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func accessToken(
        forScopes scopes: Set<String> = [],
        forcingRefresh: Bool = false,
        @_inheritActorContext completion: (@isolated(any) @Sendable (String?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.accessToken(forScopes: scopes, forcingRefresh: forcingRefresh)
        }
    }

    /// Returns the token of `accessToken(forScopes:forcingRefresh:)`, with its scopes and its expiry date.
    package func accessTokenAndExpiry(
        forScopes scopes: Set<String>,
        forcingRefresh: Bool
    ) async throws(AuthError) -> AccessToken {
        let former = snapshot.tokens.accessToken(for: scopes)
        let tokens = try await freshTokens(forcing: forcingRefresh, scopes: scopes)
        let isUsable = try owningEngine().tokenRules.isValid(tokens, for: scopes, atLeast: 0)
        // A token that has just come counts, whatever this machine's clock says.
        if let token = tokens.accessToken(for: scopes), isUsable || token.token != former?.token { return token }
        let which = scopes.isEmpty ? "" : " for \(scopes.sorted().joined(separator: " "))"
        throw AuthError(
            .operationNotAllowed,
            "The identity provider issued no access token\(which).",
            remedy: scopes.isEmpty
                ? "Use getIDToken(forcingRefresh:)." : "Request scopes that were granted, or sign in again with these."
        )
    }
}
