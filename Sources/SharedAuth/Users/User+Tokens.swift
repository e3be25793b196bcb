extension User {
    /// A valid ID token: the present one while it lasts five minutes more, else a new one.
    ///
    /// Among all processes that share the user, one asks the identity provider and the others adopt what it got.
    /// - Throws: what the identity provider says; `keyringLocked` and the like when the new token could not be saved,
    ///   in which case it stays in memory. When the provider no longer accepts the user (`userTokenExpired`,
    ///   `invalidUserToken`, `userNotFound`, `userDisabled`), the user is signed out, unless a peer has newer tokens.
    public func getIDToken(forcingRefresh: Bool = false) async throws(AuthError) -> String {
        try await owningAuth().freshTokens(of: self, forcing: forcingRefresh).idToken
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func getIDToken(
        forcingRefresh: Bool = false,
        completion: @escaping @Sendable (String?, AuthError?) -> Void
    ) {
        complete(completion) { user async throws(AuthError) in try await user.getIDToken(forcingRefresh: forcingRefresh)
        }
    }

    /// A valid ID token, and what it says.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws(AuthError) -> AuthTokenResult {
        try AuthTokenResult(idToken: try await getIDToken(forcingRefresh: forcingRefresh))
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func getIDTokenResult(
        forcingRefresh: Bool = false,
        completion: @escaping @Sendable (AuthTokenResult?, AuthError?) -> Void
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.getIDTokenResult(forcingRefresh: forcingRefresh)
        }
    }

    /// As `getIDToken(forcingRefresh:)`, by Firebase's name of the form with a completion handler.
    public func getIDTokenForcingRefresh(_ forceRefresh: Bool) async throws(AuthError) -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func getIDTokenForcingRefresh(
        _ forceRefresh: Bool,
        completion: @escaping @Sendable (String?, AuthError?) -> Void
    ) {
        getIDToken(forcingRefresh: forceRefresh, completion: completion)
    }

    /// As `getIDToken(forcingRefresh:)`, by Firebase's older name.
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws(AuthError) -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }
}

extension User {
    /// The present ID token, if `getIDToken()` would hand it out as it is. Waits for nothing.
    package var validIDToken: String? {
        guard let auth else { return nil }
        let tokens = snapshot.tokens
        return auth.tokens.isValid(tokens) ? tokens.idToken : nil
    }
}
