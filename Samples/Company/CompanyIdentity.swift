import FoundationEssentials
import SharedAuth

// example
/// Signs users in at the company's server, whose tokens are opaque: access tokens and refresh tokens, no ID tokens.
struct CompanyIdentity: IdentityProvider {
    let server: CompanyServer
    let issuer = "https://login.example.com"

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        guard case .password(let email, let password) = credential.content else {
            throw AuthError(.operationNotAllowed, "Sign in with an e-mail address and a password.")
        }
        let answer = try await server.post("/login", ["mail": email, "password": password], else: .wrongPassword)
        let tokens = tokens(in: answer)
        return IdentityGrant(profile: try await profile(for: tokens), tokens: tokens, isNewUser: false)
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        let form = ["token": tokens.refreshToken ?? ""]
        return self.tokens(in: try await server.post("/refresh", form, else: .userTokenExpired))
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let form = ["token": tokens.accessTokens.first?.token ?? ""]
        let person = try await server.post("/me", form, else: .userTokenExpired)
        return UserProfile(uid: person["id"] ?? "", email: person["mail"], displayName: person["name"])
    }

    func revoke(_ tokens: UserTokens) async throws(AuthError) {
        _ = try await server.post("/logout", ["token": tokens.refreshToken ?? ""], else: .internalError)
    }

    private func tokens(in answer: [String: String]) -> UserTokens {
        let access = AccessToken(token: answer["access"] ?? "", expirationDate: Date(timeIntervalSinceNow: 3600))
        return UserTokens(refreshToken: answer["refresh"], accessTokens: [access])
    }
}
// end of example
