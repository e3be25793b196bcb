public import SharedAuth
internal import SharedAuthHTTP

extension IdentityToolkit {
    /// False: Firebase has no call with which an app revokes its own session.
    public var revokesSessions: Bool { false }

    /// Exchanges the refresh token for new tokens. If the response has a refresh token, it replaces the present one.
    ///
    /// - Throws: `operationNotAllowed` if scopes are requested, since Firebase has none, or if there is no refresh
    ///   token; `internalError` if the response is about another user; an error from Firebase.
    public func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        guard scopes.isEmpty else {
            throw AuthError(
                .operationNotAllowed,
                "Firebase issues no access tokens for scopes.",
                remedy: "Use the ID token, of getIDToken()."
            )
        }
        guard let present = tokens.refreshToken else {
            throw AuthError(.operationNotAllowed, "The session has no refresh token.", remedy: "Sign in again.")
        }
        let answer = try await backend.exchange([("grant_type", "refresh_token"), ("refresh_token", present)])
        guard var refreshed = try answer.refreshedTokens(present: present, at: now()) else {
            throw .incomplete("tokens")
        }
        // The response and the ID token in it both name the user; each must match the session's ID token.
        let named = [answer.string("user_id"), refreshed.idToken.flatMap { TokenClaims($0)?.uid }].compactMap(\.self)
        let uid = tokens.idToken.flatMap { TokenClaims($0)?.uid } ?? named.first
        guard named.allSatisfy({ $0 == uid }) else { throw .incomplete("the same user") }
        refreshed.uid = named.first
        return refreshed
    }

    /// Returns the account's current profile.
    public func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let idToken = try Self.idToken(of: tokens)
        let users = try await backend.call(.lookup, ["idToken": .string(idToken)]).objects("users")
        guard users.count == 1, let profile = users[0].profile(TokenClaims(idToken)) else {
            throw .incomplete("one user")
        }
        return profile
    }

    /// Returns the ID token, which identifies the user to Firebase.
    ///
    /// - Throws: `internalError` if another identity provider issued the tokens, so that there is no ID token.
    static func idToken(of tokens: UserTokens) throws(AuthError) -> String {
        if let idToken = tokens.idToken { return idToken }
        throw AuthError(.internalError, "The session has no ID token, so it is not a Firebase session.")
    }
}
