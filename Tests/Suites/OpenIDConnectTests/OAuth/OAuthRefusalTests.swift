import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests what a refused refresh means at a server that issues no ID tokens.
struct OAuthRefusalTests {
    private let world = IssuerFixture()

    init() { world.issuer.change { $0.changeTokens = { $0["id_token"] = nil } } }

    private func oauth2(for resource: String? = nil) -> OAuth2 {
        let server = OAuthServer(issuerURL: ScriptedIssuer.issuerURL)
        var client = OAuthClient(server, clientID: "desktop", scopes: ["read"])
        client.resources = resource.map { [$0] } ?? []
        return world.oauth2(client)
    }

    private func signIn(_ oauth2: OAuth2) async throws -> (auth: Auth, user: User) {
        let auth = try world.app(.oauth2(oauth2))
        return (auth, try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings())).user)
    }

    /// Refuses refreshes with these forms.
    private func refuse(
        _ word: String,
        _ isRefused: @escaping @Sendable ([String: String]) -> Bool = { _ in true }
    ) {
        world.issuer.change { script in
            script.respond = { question, form in
                question == "/token refresh_token" && isRefused(form) ? .refusal(word) : nil
            }
        }
    }

    @Test(
        "A refused refresh keeps the user, unless the server has ended the session",
        arguments: [
            ("invalid_grant", AuthErrorCode.userTokenExpired), ("invalid_request", .requiresRecentLogin),
            ("bad_refresh_token", .requiresRecentLogin), ("", .requiresRecentLogin),
            ("invalid_client", .invalidClientID), ("temporarily_unavailable", .webInternalError),
        ]
    )
    func refused(_ word: String, _ code: AuthErrorCode) async throws {
        let (auth, user) = try await signIn(oauth2())
        world.issuer.advance(by: 3600)
        refuse(word)
        await expectFailure(code) { try await user.accessToken(forScopes: []) }
        #expect((auth.currentUser == nil) == (code == .userTokenExpired))
    }

    @Test(
        "A refresh for some scopes ends nothing before one without them is refused",
        arguments: ["invalid_grant", "invalid_scope", "a_new_word"]
    )
    func scopes(_ word: String) async throws {
        let (auth, user) = try await signIn(oauth2())
        refuse(word) { $0["scope"] != nil }
        await expectFailure(.operationNotAllowed) { try await user.accessToken(forScopes: ["write"]) }
        #expect(auth.currentUser === user)
        refuse("invalid_grant")
        world.issuer.advance(by: 3600)
        await expectFailure(.userTokenExpired) { try await user.accessToken(forScopes: []) }
        #expect(auth.currentUser == nil)
    }

    /// Returns the tokens of a sign-in for one resource, and an identity provider for another, as an app has them that
    /// shares the session.
    private func other() async throws -> (tokens: UserTokens, provider: OAuth2) {
        let user = try await signIn(oauth2(for: "https://a.example/")).user
        let provider = oauth2(for: "https://b.example/")
        provider.attach(to: world.store, project: "default", timeout: .seconds(5))
        return (UserTokens(refreshToken: user.refreshToken, accessTokens: []), provider)
    }

    @Test("A refresh for other resources ends nothing before a usual one is refused")
    func resources() async throws {
        let (tokens, provider) = try await other()
        refuse("invalid_grant") { $0["resource"] == "https://b.example/" }
        let error = await expectFailure(.operationNotAllowed) { try await provider.refresh(tokens, scopes: []) }
        let kept = try #require(error?.details?.tokens)
        #expect(kept.refreshToken != tokens.refreshToken && kept.accessTokens.isEmpty)
        refuse("invalid_grant")
        await expectFailure(.userTokenExpired) { try await provider.refresh(kept, scopes: []) }
        #expect(world.issuer.count(of: "/token refresh_token") == 4)
    }

    @Test("A refused resource keeps the session, and is not asked for otherwise")
    func target() async throws {
        let (tokens, provider) = try await other()
        refuse("invalid_target") { $0["resource"] == "https://b.example/" }
        await expectFailure(.operationNotAllowed) { try await provider.refresh(tokens, scopes: []) }
        #expect(world.issuer.count(of: "/token refresh_token") == 1)
    }
}
