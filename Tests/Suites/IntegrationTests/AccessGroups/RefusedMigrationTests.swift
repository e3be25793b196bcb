import Foundation
import TestSupport
import Testing

@testable import SharedAuth

/// Tests migrations that fail: user, group, stored choice, items and listeners stay as before.
struct RefusedMigrationTests {
    static let a = "group.example.a"
    static let b = "group.example.b"

    @Test("Without a current user, a migration throws nullUser")
    func nobody() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        #expect(app.auth.currentUser == nil)
        _ = app.announcements()
        await expectFailure(.nullUser) {
            try await app.auth.migrateCurrentUser(toAccessGroup: Self.a)
        }
        #expect(app.auth.userAccessGroup == nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == AppFixture.Contents(items: [], choices: [:]))
    }

    @Test("A migration to a group that the app may not use changes nothing")
    func refusedGroup() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world) { $0.accessGroups = [Self.a] }
        let user = try #require(app.auth.currentUser)
        try await expectUnchanged(app, user, world, .accessGroupNotDeclared) {
            try app.auth.migrateCurrentUser(toAccessGroup: Self.b)
        }
        try await expectUnchanged(app, user, world, .invalidAccessGroup) {
            try app.auth.migrateCurrentUser(toAccessGroup: "b")
        }
    }

    @Test(
        "An unreadable target is kept, unless it is damaged and the policy is `replace`",
        arguments: MigrationPolicy.allCases.flatMap { [($0, true), ($0, false)] }.filter { $0 != (.replace, false) }
    )
    func unreadable(_ policy: MigrationPolicy, isNewer: Bool) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let user = try await app.signIn("x")
        try world.plant(Array((isNewer ? "SharedAuth2.x" : "nonsense").utf8), in: world.key(Self.a))
        let code: AuthErrorCode = isNewer ? .recordVersionUnsupported : .recordDamaged
        try await expectUnchanged(app, user, world, code) {
            try app.auth.migrateCurrentUser(toAccessGroup: Self.a, policy: policy)
        }
    }

    @Test("A damaged target refuses to be joined; the remedy that the error names works")
    func damagedTarget() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let user = try await app.signIn("x")
        let nonsense = Array("nonsense".utf8)
        try world.plant(nonsense, in: world.key(Self.a))
        _ = app.announcements()
        do throws(AuthError) {
            try app.auth.useUserAccessGroup(Self.a)
            Issue.record("it did not fail")
        } catch {
            #expect(error.code == .recordDamaged)
            #expect(error.remedy?.contains("migrateCurrentUser(toAccessGroup:policy:) with the policy replace") == true)
        }
        #expect(app.auth.currentUser === user)
        try await app.auth.migrateCurrentUser(toAccessGroup: Self.a, policy: .replace)
        #expect(app.auth.currentUser === user)
        #expect(app.auth.userAccessGroup == Self.a)
        #expect(app.announcements().isEmpty)
        #expect(try app.stored(Self.a) == "x")
        #expect(try app.stored(nil) == nil)
        #expect(try world.items().filter(\.isSetAside).map(\.secret) == [nonsense])
    }

    @Test("Without a user, a damaged group can be joined; the next sign-in repairs it")
    func joinsDamaged() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let nonsense = Array("nonsense".utf8)
        try world.plant(nonsense, in: world.key(Self.a))
        #expect(app.auth.currentUser == nil)
        _ = app.announcements()
        let before = try world.items()
        try app.auth.useUserAccessGroup(Self.a)
        guard case .damaged = app.auth.state else { Issue.record("\(app.auth.state)"); return }
        #expect(app.auth.userAccessGroup == Self.a)
        #expect(app.announcements().isEmpty)
        #expect(try world.items() == before)
        guard case .damaged = try await TestApp(world).auth.ready() else { Issue.record("not damaged"); return }
        try await app.signIn("x")
        #expect(try app.stored(Self.a) == "x")
        #expect(try world.items().filter(\.isSetAside).map(\.secret) == [nonsense])
    }

    @Test("Joining a target whose user has another tenant changes nothing", arguments: [MigrationPolicy.join, .add])
    func otherTenant(_ policy: MigrationPolicy) async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        try await world.put("z", into: Self.a, tenantID: "t")
        try await expectUnchanged(app, user, world, .tenantIDMismatch) {
            try app.auth.migrateCurrentUser(toAccessGroup: Self.a, policy: policy)
        }
    }

    @Test(
        "If copying or deleting fails, the user stays, and a repeated call completes it",
        arguments: [(nil, a), (a, b), (a, nil)] as [(String?, String?)],
        ["CreateItem", "Delete"]
    )
    func failing(_ way: (String?, String?), member: String) async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try await TestApp.signedIn("x", in: way.0, world, interceptor: fault.interceptor)
        let user = try #require(app.auth.currentUser)
        let before = try world.items()
        fault.fail(member)
        await expectFailure(.keychainError) {
            try await app.auth.migrateCurrentUser(toAccessGroup: way.1)
        }
        #expect(fault.remaining == 0)
        #expect(app.auth.currentUser === user)
        #expect(app.auth.userAccessGroup == way.0)
        #expect(app.announcements().isEmpty)
        #expect(try world.items() == before)
        let again = try TestApp(world)
        #expect(again.auth.userAccessGroup == way.0)
        #expect(again.auth.currentUser?.uid == "x")

        try await app.auth.migrateCurrentUser(toAccessGroup: way.1)
        #expect(app.auth.currentUser === user)
        #expect(try app.stored(way.1) == "x")
        #expect(try app.stored(way.0) == nil)
        #expect(app.announcements().isEmpty)
    }

    @Test("If deleting the original fails, the replaced user is put back")
    func putsBackReplaced() async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try TestApp(world, interceptor: fault.interceptor)
        let user = try await app.signIn("x")
        try await world.put("z", into: Self.a)
        _ = app.announcements()
        fault.fail("Delete")
        await expectFailure(.keychainError) {
            try await app.auth.migrateCurrentUser(toAccessGroup: Self.a, policy: .replace)
        }
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try app.stored(Self.a) == "z")
        #expect(try app.stored(nil) == "x")
    }

    @Test("An unwritable state directory changes nothing")
    func unwritableChoice() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        try FileManager.default.removeItem(atPath: world.state)
        #expect(FileManager.default.createFile(atPath: world.state, contents: nil))
        try await expectUnchanged(app, user, world, .stateDirectoryUnusable) {
            try app.auth.migrateCurrentUser(toAccessGroup: Self.a)
        }
    }

    private func expectUnchanged(
        _ app: TestApp,
        _ user: User,
        _ world: AppFixture,
        _ code: AuthErrorCode,
        _ migrate: () throws -> Void
    ) async throws {
        _ = app.announcements()
        let before = try world.contents()
        expectFailure(code, migrate)
        #expect(app.auth.currentUser === user)
        #expect(app.auth.userAccessGroup == nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }
}
