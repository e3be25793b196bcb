import Foundation
import SharedAuth
import Testing

/// An identity provider at which a refresh only makes the user's tokens count as expired, without a request.
private struct Aging: IdentityProvider {
    let issuer: String

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        throw AuthError(.operationNotAllowed, "It signs nobody in.")
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        let past = Date(timeIntervalSinceNow: -60)
        // Other tokens than before: servers issue equal ones within a second. The claims of the ID token are the same.
        return UserTokens(
            idToken: tokens.idToken.map { $0.prefix(through: $0.lastIndex(of: ".") ?? $0.startIndex) + "AAAA" },
            refreshToken: tokens.refreshToken,
            expirationDate: past,
            accessTokens: tokens.accessTokens.map {
                AccessToken(token: "expired", scopes: $0.scopes, expirationDate: past)
            }
        )
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        throw AuthError(.operationNotAllowed, "It has no profiles.")
    }
}

extension AppFixture {
    /// Makes the tokens of the user in an access group count as expired. Returns the tokens' refresh token.
    @discardableResult
    package func expireTokens(in group: String) async throws -> String? {
        let stored = try TestApp(self, appID: "com.example.Clock").auth.getStoredUser(forAccessGroup: group)
        let aging = Aging(issuer: try #require(stored?.id.issuer))
        let app = try TestApp(self, appID: "com.example.Clock") { options in
            options.identityProvider = IdentityProviderFactory { _ in aging }
        }
        try app.auth.useUserAccessGroup(group)
        let user = try #require(app.auth.currentUser)
        _ = try await user.accessToken(forScopes: [], forcingRefresh: true)
        return user.refreshToken
    }
}
