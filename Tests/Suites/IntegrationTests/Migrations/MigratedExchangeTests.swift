import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests token exchanges during a migration of their user: a one-time refresh token must not be lost.
struct MigratedExchangeTests {
    static let a = "group.example.a"
    static let mail = "com.example.Mail"

    enum Mover { case thisProcess, another }

    private func signedIn(_ world: AppFixture, _ server: ScriptedServer, _ fault: Fault = Fault()) async throws -> (
        TestApp, User
    ) {
        let app = try TestApp(world, interceptor: fault.interceptor) { $0.identityProvider = server.source }
        server.answer(.server("x", .server("x", "0")))
        let user = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
        server.answer(.server("x", .server("x", "1")))
        _ = (app.announcements(), server.takeCalls())
        return (app, user)
    }

    private func migrate(_ mover: Mover, _ app: TestApp) throws {
        switch mover {
        case .thisProcess: try app.auth.migrateCurrentUser(toAccessGroup: Self.a)
        case .another: try app.world.migrate(from: nil, to: Self.a)
        }
    }

    /// Expects the tokens of this name in the group, and an empty source.
    private func expectStored(_ name: String, _ world: AppFixture) throws {
        let stored = try world.record(Self.a, appID: Self.mail).currentAccount
        #expect(stored?.tokens.refreshToken == "x/refresh/\(name)")
        #expect(try world.uids(nil).isEmpty)
    }

    @Test("An exchange after another process's migration happens in the new slot")
    func before() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let (app, user) = try await signedIn(world, server)
        try migrate(.another, app)
        // A peer has refreshed there, so the tokens of this process are spent.
        let peerServer = ScriptedServer()
        let peer = try TestApp(world) { $0.identityProvider = peerServer.source }
        _ = try await peer.auth.currentUser?.getIDToken(forcingRefresh: true)
        #expect(try await user.getIDToken(forcingRefresh: true) == "x/id/1")
        #expect(server.calls.isEmpty && peerServer.calls == ["refresh x/refresh/0 "])
        try expectStored("1", world)
        server.answer(.server("x", .server("x", "2")))
        try await user.updatePassword(to: "secret-2")
        #expect(server.calls == ["password x/refresh/1"])
    }

    @Test("A refresh that is rejected because of one in the new slot uses the tokens there")
    func refused() async throws {
        let world = try AppFixture()
        let server = ScriptedServer()
        let (app, user) = try await signedIn(world, server)
        server.duringCalls { [self] in
            server.duringCalls(nil)
            #expect(throws: Never.self) { try migrate(.another, app) }
            let peer = try? TestApp(world) { $0.identityProvider = ScriptedServer().source }
            _ = try? await peer?.auth.currentUser?.getIDToken(forcingRefresh: true)
        }
        server.fail(.userTokenExpired)
        #expect(try await user.getIDToken(forcingRefresh: true) == "x/id/1")
        #expect(app.auth.currentUser === user)
        try expectStored("1", world)
    }

    @Test("Tokens unsaved before a migration are replaced by those exchanged during it")
    func twice() async throws {
        let world = try AppFixture()
        let (server, fault) = (ScriptedServer(), Fault())
        let (app, user) = try await signedIn(world, server, fault)
        fault.fail("CreateItem")
        await expectFailure(.keychainError) { _ = try await user.getIDToken(forcingRefresh: true) }
        server.duringCalls { [self] in
            server.duringCalls(nil)
            #expect(throws: Never.self) { try migrate(.thisProcess, app) }
        }
        // The save before the exchange fails, too.
        fault.fail("CreateItem")
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(user.refreshToken == "x/refresh/2")
        try expectStored("2", world)
    }
}
