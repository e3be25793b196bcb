import SharedAuth

// The code of the article "Writing an Identity Provider".

/// What a company's server may offer.
protocol CompanyServer: Sendable {
    typealias Session = (profile: UserProfile, tokens: UserTokens)

    func logIn(_ email: String, _ password: String) async throws(AuthError) -> Session
    func renew(_ tokens: UserTokens) async throws(AuthError) -> Session
    func look(up tokens: UserTokens) async throws(AuthError) -> UserProfile
}

// example
struct CompanyIdentity: IdentityProvider {
    let server: any CompanyServer
    let issuer = "https://login.example.com"

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        guard case .password(let email, let password) = credential.content else {
            throw AuthError(.operationNotAllowed, "Sign in with an e-mail address and a password.")
        }
        let session = try await server.logIn(email, password)
        return IdentityGrant(profile: session.profile, tokens: session.tokens, isNewUser: false)
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        try await server.renew(tokens).tokens
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        try await server.look(up: tokens)
    }
}
// end of example

enum IdentityProviderExamples {
    static func configure(_ server: any CompanyServer) throws {
        // example
        try AuthApp.configure(
            AuthApp.Options(
                appID: "com.example.Mail",
                identityProvider: IdentityProviderFactory { _ in CompanyIdentity(server: server) }
            )
        )
        // end of example
    }
}
