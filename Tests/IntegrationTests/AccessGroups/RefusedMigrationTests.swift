import Foundation
import ScriptedIdentity
import Testing

@testable import SharedAuth

/// Migrations that fail: user, group, stored choice, storage and listeners are as before.
struct RefusedMigrationTests {
    static let a = "group.example.a"
    static let b = "group.example.b"

    static let policies: [MigrationPolicy] = [.failIfOccupied, .replace, .keepTarget]

    @Test("Without a current user there is nothing to migrate")
    func nobody() async throws {
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false)
        #expect(app.auth.currentUser == nil)
        _ = app.announcements()
        await expectFailure(.nullUser) { () async throws(AuthError) in
            try await app.auth.migrateCurrentUser(toAccessGroup: Self.a)
        }
        #expect(app.auth.userAccessGroup == nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == TestApp.World.Contents(items: [], choices: [:]))
    }

    @Test("A group that this app may not use changes nothing")
    func refusedGroup() async throws {
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false) { $0.accessGroups = [Self.a] }
        let user = try await app.signIn("x")
        try await expectUnchanged(app, user, world, .accessGroupNotDeclared) { () throws(AuthError) in
            try app.auth.migrateCurrentUser(toAccessGroup: Self.b)
        }
        try await expectUnchanged(app, user, world, .invalidAccessGroup) { () throws(AuthError) in
            try app.auth.migrateCurrentUser(toAccessGroup: "b")
        }
    }

    @Test("A target that cannot be read is not overwritten, whatever the policy", arguments: policies, [true, false])
    func unreadable(_ policy: MigrationPolicy, isNewer: Bool) async throws {
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false)
        let user = try await app.signIn("x")
        try world.plant(Array((isNewer ? "SharedAuth2.x" : "nonsense").utf8), in: world.key(Self.a))
        let code: AuthErrorCode = isNewer ? .recordVersionUnsupported : .recordDamaged
        try await expectUnchanged(app, user, world, code) { () throws(AuthError) in
            try app.auth.migrateCurrentUser(toAccessGroup: Self.a, policy: policy)
        }
    }

    @Test("Joining a target's user of another tenant changes nothing")
    func otherTenant() async throws {
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false)
        let user = try await app.signIn("x")
        try await world.put("z", into: Self.a, tenantID: "t")
        try await expectUnchanged(app, user, world, .tenantIDMismatch) { () throws(AuthError) in
            try app.auth.migrateCurrentUser(toAccessGroup: Self.a, policy: .keepTarget)
        }
    }

    @Test(
        "If copying or deleting fails, the user is where they were, and calling again completes it",
        arguments: [(nil, a), (a, b), (a, nil)] as [(String?, String?)],
        ["CreateItem", "Delete"]
    )
    func failing(_ way: (String?, String?), member: String) async throws {
        let world = try TestApp.World()
        let fault = Fault()
        let app = try TestApp(world, hearsPeers: false, interceptor: fault.interceptor)
        try app.auth.useUserAccessGroup(way.0)
        let user = try await app.signIn("x")
        _ = app.announcements()
        let before = try world.items()
        fault.fail(member)
        await expectFailure(.keychainError) { () async throws(AuthError) in
            try await app.auth.migrateCurrentUser(toAccessGroup: way.1)
        }
        #expect(fault.remaining == 0)
        #expect(app.auth.currentUser === user)
        #expect(app.auth.userAccessGroup == way.0)
        #expect(app.announcements().isEmpty)
        #expect(try world.items() == before)
        let again = try TestApp(world, hearsPeers: false)
        #expect(again.auth.userAccessGroup == way.0)
        #expect(again.auth.currentUser?.uid == "x")

        try await app.auth.migrateCurrentUser(toAccessGroup: way.1)
        #expect(app.auth.currentUser === user)
        #expect(try app.stored(way.1) == "x")
        #expect(try app.stored(way.0) == nil)
        #expect(app.announcements().isEmpty)
    }

    @Test("If deleting the original fails, a user who was replaced is put back")
    func putsBackReplaced() async throws {
        let world = try TestApp.World()
        let fault = Fault()
        let app = try TestApp(world, hearsPeers: false, interceptor: fault.interceptor)
        let user = try await app.signIn("x")
        try await world.put("z", into: Self.a)
        _ = app.announcements()
        fault.fail("Delete")
        await expectFailure(.keychainError) { () async throws(AuthError) in
            try await app.auth.migrateCurrentUser(toAccessGroup: Self.a, policy: .replace)
        }
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try app.stored(Self.a) == "z")
        #expect(try app.stored(nil) == "x")
    }

    @Test("A state directory that cannot be written changes nothing")
    func unwritableChoice() async throws {
        let world = try TestApp.World()
        let app = try TestApp(world, hearsPeers: false)
        let user = try await app.signIn("x")
        try FileManager.default.removeItem(atPath: world.state)
        #expect(FileManager.default.createFile(atPath: world.state, contents: nil))
        try await expectUnchanged(app, user, world, .stateDirectoryUnusable) { () throws(AuthError) in
            try app.auth.migrateCurrentUser(toAccessGroup: Self.a)
        }
    }

    private func expectUnchanged(
        _ app: TestApp,
        _ user: User,
        _ world: TestApp.World,
        _ code: AuthErrorCode,
        _ migrate: () throws(AuthError) -> Void
    ) async throws {
        _ = app.announcements()
        let before = try world.contents()
        await expectFailure(code, migrate)
        #expect(app.auth.currentUser === user)
        #expect(app.auth.userAccessGroup == nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }
}
