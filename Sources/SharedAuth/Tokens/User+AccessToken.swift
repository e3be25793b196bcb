extension User {
    /// A valid access token: the present one while it lasts a minute more, else a new one.
    ///
    /// Among all processes that share the user, one asks the identity provider and the others adopt the result. A session that has no
    /// refresh token gives the access token that it has until that expires.
    ///
    /// - Parameters:
    ///   - scopes: what the token is to be good for; empty: what was granted at the sign-in. A token that is good for more will do.
    ///   - forcingRefresh: whether a new one is wanted in any case.
    /// - Throws: `operationNotAllowed` if the identity provider issues no access token for these scopes; else as
    ///   `getIDToken(forcingRefresh:)`. A session without a refresh token that has expired is `userTokenExpired`, and ends then.
    public func accessToken(
        forScopes scopes: Set<String> = [],
        forcingRefresh: Bool = false
    ) async throws(AuthError) -> String {
        try await accessTokenAndExpiry(forScopes: scopes, forcingRefresh: forcingRefresh).token
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func accessToken(
        forScopes scopes: Set<String> = [],
        forcingRefresh: Bool = false,
        completion: @escaping @Sendable (String?, AuthError?) -> Void
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.accessToken(forScopes: scopes, forcingRefresh: forcingRefresh)
        }
    }

    /// As `accessToken(forScopes:forcingRefresh:)`, with its scopes and when it expires.
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
                ? "Use getIDToken(forcingRefresh:)." : "Ask for scopes that were granted, or sign in again with these."
        )
    }
}
