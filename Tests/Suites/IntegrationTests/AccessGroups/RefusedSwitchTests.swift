import Foundation
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests switches that fail, rows 20 to 22 of the table of `useUserAccessGroup`.
///
/// Firebase stores the group choice before it reads the target, so the next launch starts in the group and then
/// deletes the user in the app's own slot. It deletes that user last, so if that fails, the group's user is current
/// while later saves go to the app's own slot. SharedAuth stores the choice after it has read and checked the target,
/// and calls no listener before all is done: after a failure everything is as before, also after a restart.
struct RefusedSwitchTests {
    static let a = "group.example.a"
    static let b = "group.example.b"

    /// The reason why the target cannot be read.
    enum Refusal: String, CaseIterable {
        case garbage, newer, unanswered, locked, malformed, notDeclared

        var code: AuthErrorCode {
            switch self {
            case .garbage: .recordDamaged
            case .newer: .recordVersionUnsupported
            case .unanswered: .keychainError
            case .locked: .keyringLocked
            case .malformed: .invalidAccessGroup
            case .notDeclared: .accessGroupNotDeclared
            }
        }
    }

    struct Tenants: Sendable {
        let ours: String?
        let theirs: String?

        init(_ ours: String?, _ theirs: String?) { (self.ours, self.theirs) = (ours, theirs) }
    }

    @Test(
        "Row 20: an unreadable target changes nothing, now or at the next start",
        arguments: Refusal.allCases,
        [nil, a]
    )
    func unreadable(_ refusal: Refusal, from group: String?) async throws {
        let world = try AppFixture()
        let fault = Fault()
        let declared = refusal == .notDeclared ? [Self.a] : []
        let app = try TestApp(world, interceptor: fault.interceptor) { $0.accessGroups = declared }
        if let group { try app.auth.useUserAccessGroup(group) }
        let user = try await app.signIn("x")
        let key = try world.key(Self.b)
        if refusal == .garbage { try world.plant([0xFF, 0x00, 0x80], in: key) }
        if refusal == .newer { try world.plant(Array("SharedAuth2.x".utf8), in: key) }
        _ = app.announcements()
        let before = try world.contents()

        if refusal == .unanswered { fault.fail("SearchItems") }
        if refusal == .locked { fault.fail("SearchItems", as: .locked) }
        expectFailure(refusal.code) {
            try app.auth.useUserAccessGroup(refusal == .malformed ? "b" : Self.b)
        }

        #expect(fault.remaining == 0)
        try expectUnchanged(app, user, group, world, before)
    }

    @Test("Row 20: a switch with a locked or missing keyring changes nothing", arguments: [true, false])
    func unreachable(locked: Bool) async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        let before = try world.contents()

        if locked { try keyring.lock() } else { try keyring.killDaemon() }
        expectFailure(locked ? .keyringLocked : .keyringUnavailable) {
            try app.auth.useUserAccessGroup(Self.a)
        }

        if locked { try keyring.killDaemon() }
        try keyring.startDaemon(unlocked: true)
        try expectUnchanged(app, user, nil, world, before)
    }

    @Test(
        "A target user of another tenant changes nothing, now or at the next start",
        arguments: [Tenants("t", nil), Tenants(nil, "t"), Tenants("t", "u")],
        [nil, a]
    )
    func otherTenant(_ tenants: Tenants, from group: String?) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        if let group { try app.auth.useUserAccessGroup(group) }
        if let ours = tenants.ours { app.auth.tenantID = ours }
        let user = try await app.signIn("x", tenantID: tenants.ours)
        try await world.put("y", into: Self.b, tenantID: tenants.theirs)
        _ = app.announcements()
        let before = try world.contents()

        expectFailure(.tenantIDMismatch) { try app.auth.useUserAccessGroup(Self.b) }

        #expect(app.auth.tenantID == tenants.ours)
        try expectUnchanged(app, user, group, world, before)
    }

    @Test("If the user in the app's own slot cannot be deleted, the switch is undone", arguments: [nil, "y"])
    func undeletable(target: String?) async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try TestApp(world, interceptor: fault.interceptor)
        let user = try await app.signIn("x")
        if let target { try await world.put(target, into: Self.a) }
        _ = app.announcements()
        let before = try world.contents()

        fault.fail("Delete")
        expectFailure(.keychainError) { try app.auth.useUserAccessGroup(Self.a) }

        #expect(fault.remaining == 0)
        // The choice is restored. For an app that had no stored choice, it is written out.
        #expect(try world.contents().items == before.items)
        try expectUnchanged(app, user, nil, world, nil)
        // The next save still goes to the app's own slot.
        try await app.signIn("x", "2")
        #expect(try app.stored(Self.a) == target)
    }

    @Test("After a deletion with an unknown outcome, the next switch deletes the user")
    func unknownDeletion() async throws {
        let world = try AppFixture()
        let isLost = Mutex(false)
        let interceptor = CallInterceptor { call, _ in
            guard call.member == "Delete", isLost.withLock({ $0 }) else { return nil }
            return SecretServiceError(code: .timedOut, message: "The test says so.", outcomeIsUnknown: true)
        }
        let app = try await TestApp.signedIn("x", world, interceptor: interceptor)
        isLost.withLock { $0 = true }
        try app.auth.useUserAccessGroup("group.example.unknown")
        #expect(try app.stored(nil) == "x")
        isLost.withLock { $0 = false }
        try app.auth.useUserAccessGroup(nil)
        #expect(app.auth.currentUser == nil)
        #expect(try app.stored(nil) == nil)
    }

    @Test("A choice that cannot be stored changes nothing")
    func unwritableChoice() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let user = try await app.signIn("x")
        try await world.put("y", into: Self.a)
        _ = app.announcements()
        let before = try world.contents()

        try FileManager.default.removeItem(atPath: world.state)
        #expect(FileManager.default.createFile(atPath: world.state, contents: nil))
        expectFailure(.stateDirectoryUnusable) {
            try app.auth.useUserAccessGroup(Self.a)
        }

        try FileManager.default.removeItem(atPath: world.state)
        try expectUnchanged(app, user, nil, world, before)
    }

    @Test("After a failed join and two restarts, the app's user is present and a join works")
    func noTimeBomb() async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try await TestApp.signedIn("x", world, interceptor: fault.interceptor)
        fault.fail("SearchItems")
        expectFailure(.keychainError) { try app.auth.useUserAccessGroup(Self.a) }
        for _ in 1...2 {
            let again = try TestApp(world)
            #expect(again.auth.currentUser?.uid == "x")
            #expect(again.auth.userAccessGroup == nil)
            #expect(try again.stored(nil) == "x")
        }
        try await app.auth.migrateCurrentUser(toAccessGroup: Self.a)
        #expect(try app.stored(Self.a) == "x")
    }

    /// Expects user, group, items and listeners to be as before, also in a new process.
    private func expectUnchanged(
        _ app: TestApp,
        _ user: User,
        _ group: String?,
        _ world: AppFixture,
        _ before: AppFixture.Contents?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(app.auth.currentUser === user, sourceLocation: sourceLocation)
        #expect(app.auth.userAccessGroup == group, sourceLocation: sourceLocation)
        #expect(app.announcements().isEmpty, sourceLocation: sourceLocation)
        if let before { #expect(try world.contents() == before, sourceLocation: sourceLocation) }
        let again = try TestApp(world)
        #expect(again.auth.currentUser?.uid == user.uid, sourceLocation: sourceLocation)
        #expect(again.auth.userAccessGroup == group, sourceLocation: sourceLocation)
        if let before { #expect(try world.contents() == before, sourceLocation: sourceLocation) }
    }
}
