import FoundationEssentials
import IdentityProviderContract
import SharedAuth
import Testing

@testable import OpenIDConnect

struct ContractTests {
    @Test("An OpenID provider keeps the contract of identity providers", arguments: ProviderContract.names)
    func keeps(_ name: String) async throws {
        let world = IssuerFixture()
        let openID = world.openID()
        let people = People(world: world, provider: openID) { world.browser(openID) }
        let subject = ContractSubject(
            people,
            offers: [.refresh, .scopes, .revocation],
            wrongCredential: OAuthProvider.credential(
                OAuthCredential(
                    providerID: "issuer.example",
                    idToken: world.issuer.idToken(nonce: SignInSecrets.nonce("raw"), accessToken: "a") + "A",
                    rawNonce: "raw"
                )
            ),
            scopes: ["openid", "mail.read"]
        ) {
            AuthCredential(provider: "person", content: .customToken("person-\(UInt64.random(in: .min ... .max))"))
        }
        if case .skipped = try await ProviderContract(subject).check(name) { print("Not offered: \(name)") }
    }

    @Test("A plain OAuth 2 server keeps the contract of identity providers", arguments: ProviderContract.names)
    func plainKeeps(_ name: String) async throws {
        let world = IssuerFixture()
        world.issuer.change { $0.changeTokens = { $0["id_token"] = nil } }
        let oauth2 = world.oauth2()
        let people = People(world: world, provider: oauth2) { OAuthSignIn(oauth2, browser: world.settings()) }
        let wrong = AccessToken(token: "never-issued", expirationDate: .distantFuture)
        let subject = ContractSubject(
            people,
            offers: [.refresh, .scopes, .revocation],
            wrongCredential: OAuthProvider.credential(
                OAuthCredential(providerID: "issuer.example", accessToken: wrong)
            ),
            scopes: ["read", "write"]
        ) {
            AuthCredential(provider: "person", content: .customToken("person-\(UInt64.random(in: .min ... .max))"))
        }
        if case .skipped = try await ProviderContract(subject).check(name) { print("Not offered: \(name)") }
    }
}

/// Signs users in by browser, as often as the contract requires: a credential of OpenID Connect is valid for one
/// session.
private struct People: IdentityProvider {
    let world: IssuerFixture
    let provider: any IdentityProvider
    let browser: @Sendable () -> any FederatedAuthProvider

    var issuer: String { provider.issuer }

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        guard case .customToken(let person) = credential.content else {
            return try await provider.signIn(with: credential, tenantID: tenantID)
        }
        world.issuer.change { $0.subject = person }
        return try await provider.signIn(with: browser().credential(), tenantID: tenantID)
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        try await provider.refresh(tokens, scopes: scopes)
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        try await provider.profile(for: tokens)
    }

    func revoke(_ tokens: UserTokens) async throws(AuthError) { try await provider.revoke(tokens) }
}
