import TestSupport
import Testing

@testable import SharedAuth

/// Tests damaged records: no crash, not treated as signed out, never lost.
struct DamagedRecordTests {
    static let group = "group.example.damage"

    @Test(
        "Reads leave any damage in place; a sign-in sets it aside unchanged",
        arguments: Damage.allCases
    )
    func damaged(_ damage: Damage) async throws {
        // Four megabytes would slow down all other writes to this keyring.
        let world = try AppFixture(damage == .nonsense ? PrivateKeyring() : nil)
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let key = try world.key(Self.group)
        let secret = try damage.secret(for: key)
        try world.plant(secret, in: key)
        let before = try world.contents()

        let again = try TestApp(world)
        let state = await again.auth.ready()
        guard case .damaged(let error) = state else { Issue.record("\(state)"); return }
        #expect(error.code == .recordDamaged)
        #expect(again.auth.currentUser == nil)
        #expect(again.announcements().isEmpty)
        for reader in [app, again] {
            expectFailure(.recordDamaged) {
                _ = try reader.auth.getStoredUser(forAccessGroup: Self.group)
            }
            try reader.auth.useUserAccessGroup(Self.group)
            guard case .damaged(let error) = reader.auth.state else { Issue.record("\(reader.auth.state)"); return }
            #expect(error.code == .recordDamaged)
        }
        #expect(again.announcements().isEmpty)
        #expect(try world.contents() == before)

        let user = try await again.signIn("y")
        #expect(again.auth.currentUser === user)
        #expect(again.announcements() == .both("y"))
        #expect(try again.stored(Self.group) == "y")
        #expect(try world.items(in: key).count == 1)
        let aside = try world.items().filter(\.isSetAside)
        // An empty secret is not copied.
        #expect(aside.map(\.secret) == (secret.isEmpty ? [] : [secret]))
        #expect(aside.allSatisfy { $0.label.hasPrefix("SharedAuth: set aside") && $0.label.contains(Self.group) })
        // Afterwards the slot works like any other.
        #expect(try TestApp(world).auth.currentUser?.uid == "y")
    }

    @Test(
        "A record damaged under a running app is not a sign-out: the known user stays",
        arguments: [Damage.garbage, .cutJSON, .empty]
    )
    func breaksLater(_ damage: Damage) async throws {
        let world = try AppFixture()
        let app = try TestApp(world, observesOtherProcesses: true)
        try app.auth.useUserAccessGroup(Self.group)
        let user = try await app.signIn("x")
        _ = app.heard(4)
        let peer = try world.peer(Self.group)
        let key = try world.key(Self.group)
        try world.replace(try damage.secret(for: key), in: key)
        let before = try world.contents()
        expectFailure(.recordDamaged) {
            _ = try app.auth.getStoredUser(forAccessGroup: Self.group)
        }
        await expectFailure(.recordDamaged) {
            _ = try await user.getIDToken(forcingRefresh: true)
        }
        expectFailure(.recordDamaged) { try app.auth.useUserAccessGroup(Self.group) }
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
        // A peer repairs it.
        try await peer.signIn("z")
        #expect(app.heard(2) == .both("z"))
    }

    @Test("If a sign-in over damage fails at any write, the damage stays in place", arguments: 0..<2)
    func failingSignIn(failing write: Int) async throws {
        let world = try AppFixture()
        let fault = Fault()
        let key = try world.key(nil)
        try world.plant(try Damage.garbage.secret(for: key), in: key)
        let before = try world.contents()
        let app = try TestApp(world, interceptor: fault.interceptor)
        #expect(app.auth.currentUser == nil)
        fault.fail("CreateItem", after: write)
        app.identity.expect(.scripted("x"))
        await expectFailure(.keychainError) {
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(fault.remaining == 0)
        guard case .damaged = app.auth.state else { Issue.record("\(app.auth.state)"); return }
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
        try await app.signIn("x")
        #expect(app.announcements() == .both("x"))
    }

    enum Newer: CaseIterable { case envelope, record }

    @Test("No call overwrites a record of a newer version", arguments: Newer.allCases)
    func newer(_ newer: Newer) async throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let secret: [UInt8] =
            switch newer {
            case .envelope: Array("SharedAuth2.YWJj".utf8)
            case .record: Damage.sealed("{\"version\":999,\"anything\":[1]}".utf8, for: key)
            }
        try world.plant(secret, in: key)
        let before = try world.contents()
        let app = try TestApp(world)
        guard case .damaged(let error) = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        #expect(error.code == .recordVersionUnsupported)
        app.identity.expect(.scripted("x"))
        await expectFailure(.recordVersionUnsupported) {
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
        expectFailure(.recordVersionUnsupported) { try app.auth.signOut() }
        await expectFailure(.recordVersionUnsupported) { try await app.auth.signOutAll() }
        await expectFailure(.recordVersionUnsupported) { try await app.app.delete() }
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
        // In other slots the app works.
        try app.auth.useUserAccessGroup(Self.group)
        try await app.signIn("x")
        await expectFailure(.recordVersionUnsupported) {
            try await app.auth.migrateCurrentUser(toAccessGroup: nil, policy: .replace)
        }
        #expect(try world.items(in: key) == before.items.map { $0 })
    }
}
