import Dispatch
import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests sign-ins that fail at a server without refresh tokens, while the user is signed in elsewhere.
struct ReusedTokenTests {
    private static let same = AccessToken(token: "same", expirationDate: .distantFuture)

    private let world = IssuerFixture()

    /// Makes the server return the same token for each sign-in.
    private func reuse() {
        world.issuer.change { script in
            script.changeTokens = { $0 = ["access_token": "same", "token_type": "bearer"] }
            script.subjects["same"] = "ada"
        }
    }

    private func signIn(_ appID: String = "com.example.Mail") async throws -> User {
        let oauth2 = world.oauth2()
        let auth = try world.app(.oauth2(oauth2), appID: appID)
        return try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings())).user
    }

    private var revoked: Set<String> { world.issuer.script.withLock { $0.revoked } }

    @Test(
        "A sign-in that fails revokes its token, unless an app has it",
        arguments: [HTTPResponse(status: 429), .page(502), HTTPResponse(status: 403)],
        ["com.example.Mail", "com.example.Calendar"]
    )
    func failed(_ answer: HTTPResponse, _ appID: String) async throws {
        reuse()
        world.issuer.change { $0.answers["/userinfo"] = .success(answer) }
        await #expect(throws: AuthError.self) { try await signIn() }
        #expect(revoked == ["same"])
        world.issuer.change { script in
            script.answers["/userinfo"] = nil
            script.revoked = []
        }
        _ = try await signIn()
        world.issuer.change { $0.answers["/userinfo"] = .success(answer) }
        await #expect(throws: AuthError.self) { try await signIn(appID) }
        #expect(revoked.isEmpty)
    }

    @Test("A token that a sign-in gives up is revoked, unless an app has it")
    func discarded() async throws {
        reuse()
        let oauth2 = world.oauth2()
        oauth2.attach(to: world.store, project: "default", timeout: .seconds(5))
        await oauth2.discard(UserTokens(refreshToken: nil, accessTokens: [Self.same]))
        #expect(revoked == ["same"])
        world.issuer.change { $0.revoked = [] }
        _ = try await signIn()
        await oauth2.discard(UserTokens(refreshToken: nil, accessTokens: [Self.same]))
        #expect(revoked.isEmpty)
        await oauth2.discard(UserTokens(refreshToken: "another", accessTokens: [Self.same]))
        #expect(revoked.contains("another"))
    }

    @Test("Tokens that replace those of a session and cannot be saved are not revoked")
    func unsaved() async throws {
        world.issuer.change { script in
            script.givesRefreshToken = false
            script.changeTokens = { $0["id_token"] = nil }
        }
        let store = FaultInjectingStore(world.store)
        let oauth2 = world.oauth2()
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            identityProvider: .oauth2(oauth2),
            store: .custom(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.listeners")),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false
        )
        world.keepTime(of: &options)
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        let person = OAuthSignIn(oauth2, browser: world.settings())
        let user = try await auth.signIn(with: person).user
        let first = try await user.accessToken(forScopes: [])
        store.fail(.update)
        await #expect(throws: AuthError.self) { try await auth.signIn(with: person) }
        store.mend()
        #expect(revoked.isEmpty)
        let second = try #require(try auth.getStoredUser(forAccessGroup: nil))
        #expect(try await !revoked.contains(second.accessToken(forScopes: [])))
        #expect(try await user.accessToken(forScopes: []) != "" && !revoked.contains(first))
    }
}
