import Foundation
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the accounts that a sign-in replaces: which they are, and what becomes of their sessions.
struct ReplacedAccountTests {
    static let group = "group.example.replaced"

    private func app(
        _ world: AppFixture,
        _ server: ScriptedServer,
        _ appID: String = "com.example.Mail",
        keeps: Bool = false
    ) throws -> TestApp {
        let app = try TestApp(world, appID: appID) { options in
            options.identityProvider = server.source
            options.keepsOtherUsers = keeps
        }
        try app.auth.useUserAccessGroup(Self.group)
        return app
    }

    private func signIn(_ uid: String, _ app: TestApp, _ server: ScriptedServer) async throws {
        server.answer(.server(uid, .server(uid, "1")))
        try await app.auth.signIn(withEmail: "ada@example.com", password: "secret")
    }

    private func uids(_ app: TestApp) throws -> Set<String> {
        Set(try app.auth.storedUsers(inAccessGroup: Self.group).map(\.uid))
    }

    @Test("A sign-in revokes the replaced session after the listeners were called")
    func revoked() async throws {
        let server = ScriptedServer(issuer: "https://\(UUID()).example")
        let app = try app(AppFixture(), server)
        try await signIn("x", app, server)
        _ = app.announcements()
        server.duringCalls {
            if server.calls.last == "revoke x/refresh/1" { #expect(app.announcements() == .both("y")) }
        }
        try await signIn("y", app, server)
        #expect(server.calls == ["sign-in password", "sign-in password", "revoke x/refresh/1"])
        #expect(try uids(app) == ["y"])
        // A failure does not concern the new user.
        server.duringCalls { if server.calls.last == "revoke y/refresh/1" { server.fail(.networkError) } }
        try await signIn("z", app, server)
        #expect(app.auth.currentUser?.uid == "z")
    }

    @Test("The shown and the current account are replaced and revoked; others stay")
    func others() async throws {
        let (world, server) = (try AppFixture(), ScriptedServer(issuer: "https://\(UUID()).example"))
        let feeds = try app(world, server, "com.example.Feeds", keeps: true)
        for uid in ["ada", "bob"] { try await signIn(uid, feeds, server) }
        let tool = try app(world, server)
        #expect(tool.auth.currentUser?.uid == "bob")
        // Another app switches to a third user, of which this one has not heard.
        try await signIn("cyd", feeds, server)
        _ = server.takeCalls()
        try await signIn("eve", tool, server)
        #expect(try uids(tool) == ["ada", "eve"])
        #expect(Set(server.calls.dropFirst()) == ["revoke bob/refresh/1", "revoke cyd/refresh/1"])
    }

    @Test("The replaced session stays while another slot has its user, and so does one that updateCurrentUser replaces")
    func kept() async throws {
        let (world, server) = (try AppFixture(), ScriptedServer(issuer: "https://\(UUID()).example"))
        let mail = try app(world, server)
        try await signIn("x", mail, server)
        let x = try #require(mail.auth.currentUser)
        let notes = try TestApp(world, appID: "com.example.Notes") { $0.identityProvider = server.source }
        try await notes.auth.updateCurrentUser(User(x.snapshot, auth: nil, slot: nil))
        try await signIn("y", mail, server)
        try await mail.auth.updateCurrentUser(x)
        #expect(server.calls == ["sign-in password", "sign-in password"])
        #expect(try uids(mail) == ["x"])
    }
}
