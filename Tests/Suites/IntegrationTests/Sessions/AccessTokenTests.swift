import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

/// Tests access tokens, and sessions without an ID token or a refresh token, on a keyring.
struct AccessTokenTests {
    static let group = "group.example.access"

    /// Returns an app whose user has these tokens.
    private func app(
        _ world: AppFixture,
        _ server: ScriptedServer = ScriptedServer(),
        appID: String = "com.example.Mail",
        signedInWith tokens: UserTokens? = nil
    ) async throws -> TestApp {
        // The clock stands still, so that no token gets closer to its expiry. An hour-old token that lasts ten more
        // seconds is not returned while another process may be refreshing it.
        let start = Date()
        let app = try TestApp(world, appID: appID) { options in
            options.identityProvider = server.source
            options.now = { start }
        }
        try app.auth.useUserAccessGroup(Self.group)
        guard let tokens else { return app }
        server.answer(.server("x", tokens))
        _ = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
        _ = (app.announcements(), server.takeCalls())
        return app
    }

    @Test("A session without an ID token is stored, shared, refreshed once and announced")
    func opaque() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let tokens = UserTokens.server("x", "0", hasIDToken: false, scopes: [["mail"]], lasting: 10)
            .issued(at: Date() - 3600)
        let mail = try await app(world, server, signedInWith: tokens)
        let user = try #require(mail.auth.currentUser)
        let peerServer = ScriptedServer()
        let calendar = try await app(world, peerServer, appID: "com.example.Calendar")
        let theirs = try #require(calendar.auth.currentUser)
        #expect(theirs.uid == "x")

        #expect(try await user.accessToken() == "x/access/1/mail")
        #expect(mail.announcements() == .token("x"))
        // The peer's token expires less than a minute from now; the peer finds the new one in the slot.
        #expect(try await theirs.accessToken() == "x/access/1/mail")
        #expect(server.calls == ["refresh x/refresh/0 "])
        #expect(peerServer.calls.isEmpty)
        let error = await expectFailure(.operationNotAllowed) { _ = try await user.getIDToken() }
        #expect(error?.remedy?.contains("accessToken(forScopes:forcingRefresh:)") == true)
        #expect(server.calls.count == 1)
    }

    @Test("A token for other scopes is fetched once, kept, and adopted by a peer")
    func scopes() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let mail = try await app(world, server, signedInWith: .server("x", "0", scopes: [["mail"]]))
        let user = try #require(mail.auth.currentUser)
        let peerServer = ScriptedServer()
        let calendar = try await app(world, peerServer, appID: "com.example.Calendar")
        let theirs = try #require(calendar.auth.currentUser)
        #expect(try await user.accessToken() == "x/access/0/mail")
        #expect(try await user.accessToken(forScopes: ["files", "calendar"]) == "x/access/1/calendar+files")
        #expect(try await user.accessToken(forScopes: ["files"]) == "x/access/1/calendar+files")
        #expect(try await theirs.accessToken(forScopes: ["calendar"]) == "x/access/1/calendar+files")
        #expect(try await theirs.accessToken() == "x/access/0/mail")
        #expect(server.calls == ["refresh x/refresh/0 calendar+files"])
        #expect(peerServer.calls.isEmpty)
        #expect(try await user.accessToken(forScopes: ["mail"], forcingRefresh: true) == "x/access/2/mail")
        #expect(try await user.accessToken(forScopes: ["calendar"]) == "x/access/1/calendar+files")
    }

    @Test("A reload first gets a valid access token, which the profile may need")
    func reload() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let id = UserTokens.server("x", "0", lasting: 3600)
        let access = AccessToken(token: "x/access/0/mail", scopes: ["mail"], expirationDate: Date() + 10)
        let tokens = UserTokens(
            idToken: id.idToken,
            refreshToken: id.refreshToken,
            expirationDate: id.expirationDate,
            accessTokens: [access],
            issueDate: Date() - 3600
        )
        let app = try await app(world, server, signedInWith: tokens)
        let user = try #require(app.auth.currentUser)
        #expect(try await user.getIDToken() == "x/id/0")
        try await user.reload()
        #expect(server.calls == ["refresh x/refresh/0 ", "profile"])
    }

    @Test("Many callers of two apps make one request for each purpose")
    func together() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let mail = try await app(world, server, signedInWith: .server("x", "0", scopes: [["mail"]], lasting: -1))
        let calendar = try await app(world, server, appID: "com.example.Calendar")
        let users = [try #require(mail.auth.currentUser), try #require(calendar.auth.currentUser)]
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                for user in users {
                    group.addTask { try await user.accessToken(forScopes: ["files"]) }
                    group.addTask { try await user.accessToken() }
                }
            }
            var seen: Set<String> = []
            for try await token in group { seen.insert(token) }
            #expect(seen.count == 2)
        }
        #expect(server.calls.count == 2)
    }

    @Test("Without a refresh token, the first use after the expiry ends the session")
    func unrefreshable() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let clock = TestClock()
        let tokens = UserTokens.server("x", "0", hasRefreshToken: false, scopes: [["mail"]], lasting: 100)
        let app = try TestApp(world) { options in
            options.identityProvider = server.source
            options.now = { clock.now }
        }
        server.answer(.server("x", tokens))
        let user = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
        _ = (app.announcements(), server.takeCalls())
        #expect(user.refreshToken == nil)
        #expect(try await user.getIDToken() == "x/id/0")
        #expect(try await user.accessToken() == "x/access/0/mail")
        await expectFailure(.operationNotAllowed) { _ = try await user.getIDToken(forcingRefresh: true) }
        await expectFailure(.operationNotAllowed) { _ = try await user.accessToken(forScopes: ["files"]) }
        #expect(app.auth.currentUser === user)

        clock.advance(by: 101)
        // The token was not used: the state stays.
        #expect(app.auth.currentUser === user)
        await expectFailure(.userTokenExpired) { _ = try await user.accessToken() }
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements() == .both(nil))
        #expect(try world.items().isEmpty)
        #expect(server.calls.isEmpty)
    }

    @Test("An expired session without a refresh token stays if a peer has renewed it")
    func renewedByPeer() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let mail = try await app(
            world,
            server,
            signedInWith: .server("x", "0", hasRefreshToken: false, lasting: -1)
        )
        let user = try #require(mail.auth.currentUser)
        _ = try await app(world, appID: "com.example.Calendar", signedInWith: .server("x", "new"))
        #expect(try await user.getIDToken() == "x/id/new")
        #expect(mail.auth.currentUser === user)
    }

    @Test("An unsaved access token is kept in memory and saved by the next read")
    func unsaved() async throws {
        let world = try AppFixture()
        let (server, fault) = (ScriptedServer(), Fault())
        let app = try TestApp(world, interceptor: fault.interceptor) { $0.identityProvider = server.source }
        let tokens = UserTokens.server("x", "0", hasIDToken: false, scopes: [["mail"]], lasting: 10)
        server.answer(.server("x", tokens.issued(at: Date() - 3600)))
        let user = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
        fault.fail("CreateItem")
        await expectFailure(.keychainError) { _ = try await user.accessToken() }
        #expect(try await user.accessToken() == "x/access/1/mail")
        #expect(app.auth.engine.rereadSlot() == false)
        let stored = try world.record(nil, appID: "com.example.Mail").currentAccount
        #expect(stored?.tokens.accessTokens.map(\.token) == ["x/access/1/mail"])
        #expect(server.calls.filter { $0.hasPrefix("refresh") }.count == 1)
    }

    @Test("Without access tokens, requesting one throws an error that names the alternative")
    func none() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        let error = await expectFailure(.operationNotAllowed) { _ = try await user.accessToken() }
        #expect(error?.remedy?.contains("getIDToken") == true)
        #expect(app.auth.currentUser === user)
    }
}
