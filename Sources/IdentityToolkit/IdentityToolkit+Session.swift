public import SharedAuth
internal import SharedAuthHTTP

extension IdentityToolkit {
    /// False: Firebase ends sessions of an app by none of the app's own calls.
    public var revokesSessions: Bool { false }

    /// Exchanges the refresh token for new tokens; whatever refresh token comes replaces the present one.
    ///
    /// - Throws: `operationNotAllowed` for scopes, of which Firebase has none.
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
        // The answer names the user, and so does the token in it; each has to be who the session's token names.
        let named = [answer.string("user_id"), refreshed.idToken.flatMap { TokenClaims($0)?.uid }].compactMap(\.self)
        let uid = tokens.idToken.flatMap { TokenClaims($0)?.uid } ?? named.first
        guard named.allSatisfy({ $0 == uid }) else { throw .incomplete("the same user") }
        refreshed.uid = named.first
        return refreshed
    }

    /// The account as it stands.
    public func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let idToken = try Self.idToken(of: tokens)
        let users = try await backend.call(.lookup, ["idToken": .string(idToken)]).objects("users")
        guard users.count == 1, let profile = users[0].profile(TokenClaims(idToken)) else {
            throw .incomplete("one user")
        }
        return profile
    }

    /// The ID token, by which Firebase knows the user.
    ///
    /// - Throws: `internalError` if another identity provider made these tokens, without one.
    static func idToken(of tokens: UserTokens) throws(AuthError) -> String {
        if let idToken = tokens.idToken { return idToken }
        throw AuthError(.internalError, "The session has no ID token, so it is not one of Firebase.")
    }
}
