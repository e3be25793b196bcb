import Foundation
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests start-up, S1 to S8. (S7 is sharing across a user's devices through iCloud, which Linux does not have.)
struct StartUpTests {
    static let group = "group.example.start"

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let group: String?
        let own: String?
        let inGroup: String?
        var tenantID: String?
        /// The uid of the current user.
        let current: String?

        /// The row as the report shows it.
        var testDescription: String {
            let found = "\(own ?? "no user") in own, \(inGroup ?? "no user") in the group"
            return "row \(name): start in \(group ?? "own") with \(found): \(current ?? "no user") current"
        }
    }

    static let rows = [
        Row(name: "S1", group: nil, own: nil, inGroup: "y", current: nil),
        Row(name: "S2", group: nil, own: "x", inGroup: "y", current: "x"),
        Row(name: "S2 with a tenant", group: nil, own: "x", inGroup: nil, tenantID: "t", current: "x"),
        // Firebase deletes the user in the app's own slot again at each launch in a group.
        Row(name: "S3", group: group, own: "x", inGroup: "y", current: "y"),
        Row(name: "S4", group: group, own: "x", inGroup: nil, current: nil),
        // Firebase does not restore the tenant of a group's user, so no user is signed in.
        Row(name: "S5", group: group, own: nil, inGroup: "y", tenantID: "t", current: "y"),
    ]

    @Test("A start finds the stored user and changes nothing", arguments: rows)
    func start(_ row: Row) async throws {
        let world = try AppFixture()
        if let group = row.group { try TestApp(world).auth.useUserAccessGroup(group) }
        if let own = row.own { try await world.put(own, into: nil, tenantID: row.tenantID) }
        if let uid = row.inGroup { try await world.put(uid, into: Self.group, tenantID: row.tenantID) }
        let before = try world.contents()

        let app = try TestApp(world)

        #expect(app.auth.currentUser?.uid == row.current)
        #expect(app.auth.userAccessGroup == row.group)
        #expect(app.auth.tenantID == row.tenantID)
        // Each listener is called once, with the result. (In Firebase an ID token listener may be called twice, or with
        // nil first, depending on timing.)
        #expect(app.announcements() == .both(row.current))
        #expect(try world.contents() == before)
        switch app.auth.state {
        case .signedIn(let user): #expect(user.uid == row.current)
        case .signedOut: #expect(row.current == nil)
        default: Issue.record("\(app.auth.state)")
        }
        // Saving goes to the app's slot, with the restored tenant.
        if row.tenantID != nil, let user = app.auth.currentUser {
            try await app.auth.updateCurrentUser(user)
            #expect(try app.stored(row.group) == row.current)
        }
    }

    @Test("S6: a locked keyring is not a sign-out, and unlocking it shows the user", arguments: [nil, group])
    func locked(group: String?) async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        try await prepare(world, group)
        try keyring.restartDaemon(unlocked: false)

        let app = try TestApp(world, observesOtherProcesses: true)
        let state = await app.auth.ready()
        guard case .locked = state else { Issue.record("\(state)"); return }
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == group)
        #expect(app.announcements().isEmpty)

        try keyring.restartDaemon()
        #expect(app.heard(2) == .both("x"))
        #expect(app.auth.currentUser?.uid == "x")
        try app.auth.signOut()
        #expect(app.announcements() == .both(nil))
    }

    @Test("S6: a missing keyring is not a sign-out, and its return shows the user", arguments: [nil, group])
    func unavailable(group: String?) async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        try await prepare(world, group)
        try keyring.killDaemon()

        let app = try TestApp(world, observesOtherProcesses: true)
        let state = await app.auth.ready()
        guard case .unavailable(let error) = state else { Issue.record("\(state)"); return }
        #expect(error.code == .keyringUnavailable)
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == group)
        #expect(app.announcements().isEmpty)

        try keyring.startDaemon(unlocked: true)
        #expect(app.heard(2) == .both("x"))
        #expect(app.auth.currentUser?.uid == "x")
    }

    @Test("Without a bus the state is unavailable; a call after its return finds the user")
    func noBus() async throws {
        let keyring = try PrivateKeyring()
        let world = try AppFixture(keyring)
        try await prepare(world, Self.group)
        keyring.killBus()

        let app = try TestApp(world, observesOtherProcesses: true)
        let state = await app.auth.ready()
        guard case .unavailable = state else { Issue.record("\(state)"); return }

        try keyring.startBus()
        try keyring.startDaemon(unlocked: true)
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(app.heard(2) == .both("x"))
    }

    @Test("An unreadable record is damage, not a sign-out; a sign-in repairs it", arguments: [nil, group])
    func damaged(group: String?) async throws {
        let world = try AppFixture()
        if let group { try TestApp(world).auth.useUserAccessGroup(group) }
        let key = try world.key(group)
        let record = Record(
            payload: Array("{\"version\":1,\"accounts\":[{}]}".utf8),
            revision: Revision(counter: 1, nonce: 2)
        )
        try world.plant(Array(Envelope.seal(record, for: key).utf8), in: key)
        let before = try world.contents()

        let app = try TestApp(world, observesOtherProcesses: true)
        let state = await app.auth.ready()
        guard case .damaged(let error) = state else { Issue.record("\(state)"); return }
        #expect(error.code == .recordDamaged)
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == group)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)

        try await app.signIn("x")
        #expect(app.announcements() == .both("x"))
        #expect(try app.stored(group) == "x")
    }

    @Test("A stored group that is no longer declared is refused at start, despite signals")
    func undeclared() async throws {
        let world = try AppFixture()
        try await prepare(world, Self.group)
        let app = try TestApp(world, observesOtherProcesses: true) { $0.accessGroups = ["group.example.other"] }
        guard case .unavailable(let error) = await app.auth.ready() else {
            Issue.record("\(app.auth.state)")
            return
        }
        #expect(error.code == .accessGroupNotDeclared)
        // The choice can change without a signal, so it is read again later.
        #expect(app.auth.engine.rereadSlot() == true)
        // If the group were watched, the watch and the first read would start there.
        for _ in 0..<3 { app.auth.waitUntilIdle() }
        #expect(app.auth.currentUser == nil)
        expectFailure(.accessGroupNotDeclared) { try app.auth.signOut() }
        #expect(app.announcements().isEmpty)
        #expect(try world.record(Self.group, appID: "com.example.Mail").current?.uid == "x")
        // Choosing a declared group recovers.
        try app.auth.useUserAccessGroup("group.example.other")
        guard case .signedOut = app.auth.state else { Issue.record("\(app.auth.state)"); return }
    }

    enum ChoiceDamage: CaseIterable {
        case nonsense, newerVersion, pipe, tooLong

        func inflict(on path: String) throws {
            switch self {
            case .nonsense: try "nonsense".write(toFile: path, atomically: true, encoding: .utf8)
            case .newerVersion:
                try #"{"slot":{"own":{}},"version":2}"#.write(toFile: path, atomically: true, encoding: .utf8)
            case .pipe: #expect(unsafe unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            case .tooLong: #expect(unsafe truncate(path, 2 << 20) == 0)
            }
        }
    }

    @Test(
        "An unreadable group choice is not a sign-out; choosing again repairs it",
        arguments: ChoiceDamage.allCases
    )
    func damagedChoice(_ damage: ChoiceDamage) async throws {
        let world = try AppFixture()
        try await prepare(world, Self.group)
        let path = "\(world.state)/com.example.Mail/\(world.project)/default.json"
        #expect(FileManager.default.fileExists(atPath: path))
        try damage.inflict(on: path)
        let before = try world.contents()

        let app = try TestApp(world)
        let state = await app.auth.ready()
        guard case .unavailable(let error) = state else { Issue.record("\(state)"); return }
        #expect(error.code == .stateDirectoryUnusable)
        // The app's slot is unknown, so no slot is changed.
        expectFailure(.stateDirectoryUnusable) { try app.auth.signOut() }
        await expectFailure(.stateDirectoryUnusable) {
            _ = try await app.auth.signIn(withEmail: "a@example.com", password: "p")
        }
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)

        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.announcements() == .both("x"))
        #expect(try TestApp(world, observesOtherProcesses: true).auth.currentUser?.uid == "x")
    }

    /// Chooses the group and signs x in, as an earlier process.
    private func prepare(_ world: AppFixture, _ group: String?) async throws {
        let earlier = try TestApp(world)
        if let group { try earlier.auth.useUserAccessGroup(group) }
        try await earlier.signIn("x")
    }
}
