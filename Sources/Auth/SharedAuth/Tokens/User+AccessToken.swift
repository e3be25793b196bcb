extension User {
    /// Returns a valid access token: the present one while it lasts another minute, else a new one.
    ///
    /// One of all processes that share the user calls the identity provider, and the others adopt the result. A session
    /// without a refresh token returns its access token until the token expires.
    ///
    /// - Parameters:
    ///   - scopes: the scopes that the token must have; empty for those granted at the sign-in. A token with more
    ///     scopes is also returned.
    ///   - forcingRefresh: whether to get a new token in any case.
    /// - Throws: `operationNotAllowed` if the identity provider issues no access token for these scopes; otherwise as
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
        let tokens = try await freshTokens(forcing: forcingRefresh, scopes: scopes)
        if let accessToken = tokens.accessToken(for: scopes) { return accessToken }
        let which = scopes.isEmpty ? "" : " for \(scopes.sorted().joined(separator: " "))"
        throw AuthError(
            .operationNotAllowed,
            "The identity provider issued no access token\(which).",
            remedy: scopes.isEmpty
                ? "Use getIDToken(forcingRefresh:)." : "Request scopes that were granted, or sign in again with these."
        )
    }
}
