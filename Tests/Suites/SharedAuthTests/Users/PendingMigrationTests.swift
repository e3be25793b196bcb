import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Migrations whose store fails after the copy was written, so that they can be neither finished nor reverted.
struct PendingMigrationTests {
    private let app = MemoryApp(issuer: nil)

    private func start() throws -> Auth { try app.start { $0.accessGroups = [app.group] } }

    private func migrate() throws -> [UserMigration.Outcome] { try app.perform(app.migration(.add)) }

    /// Migrates to the group. The store fails once the copy is written.
    private func fail() throws -> [UserMigration.Outcome] {
        app.before(.write, of: .shared) { app.before(.read, of: .shared) { app.store.fail(as: .unavailable) } }
        defer { app.store.mend() }
        return try migrate()
    }

    private func undo(_ accounts: [AccountID], otherAppIDs: Set<String> = []) throws -> [UserMigration.Outcome] {
        let selection = UserMigration.Selection(accounts, otherAppIDs: otherAppIDs)
        return try app.perform(app.migration(from: .shared, to: .own, .add), selection)
    }

    @Test("A move that cannot be finished is pending, and the app's next start finishes it")
    func pending() throws {
        try app.put("x", in: .own)
        let outcome = try #require(try fail().first)
        #expect(outcome.kind == .pending)
        #expect(outcome.error?.code == .outcomeUnknown)
        #expect(try app.users(in: .shared) == ["x"] && app.users(in: .own) == ["x"])
        #expect(try start().shown == Shown("x", in: .shared))
        #expect(try app.users(in: .own).isEmpty)
    }

    @Test("If the target's turn times out before a copy is begun, the user stays in place")
    func noTurn() throws {
        try app.put("x", in: .own)
        let silence = RecordStoreError(.timedOut, "The test does not answer.", outcomeIsUnknown: true)
        app.store.fail(.update, of: .shared, times: 1, with: silence)
        #expect(try migrate().map(\.kind) == [.pending])
        #expect(try app.users(in: .own) == ["x"] && app.users(in: .shared).isEmpty)
        #expect(try app.journal().read().slot == .own)
    }

    @Test("Moving back cancels a pending move, before or after the app's next start", arguments: [false, true])
    func undone(afterStart: Bool) throws {
        try app.put("x", in: .own)
        let accounts = try fail().flatMap(\.accounts)
        if afterStart { #expect(try start().userAccessGroup == app.group) }
        #expect(try undo(accounts).map(\.kind) == [.moved])
        #expect(try app.users(in: .shared).isEmpty)
        #expect(try app.journal().read() == GroupChoice())
        #expect(try start().shown == Shown("x", in: .own))
        #expect(try app.users(in: .own) == ["x"])
    }

    @Test("Moving back loses no user when the app finishes the pending move in between")
    func undoneWhileEnded() throws {
        try app.put("x", in: .own)
        let accounts = try fail().flatMap(\.accounts)
        app.before(.update, of: .shared) { _ = try start().currentUser }
        _ = try undo(accounts)
        let auth = try start()
        #expect(auth.currentUser?.uid == "x")
        #expect(try undo(accounts).map(\.kind).contains(.failed) == false)
        #expect(try start().userAccessGroup == nil)
        #expect(try app.users(in: .own) == ["x"])
        #expect(try app.users(in: .shared).isEmpty)
    }

    @Test("Once a move is cancelled, a copy that has not arrived is not waited for")
    func neverArrived() throws {
        try app.put("x", in: .own)
        try app.journal().change { $0.begin(.migration(of: "x", to: .shared)) }
        #expect(try undo(["x"]).map(\.kind) == [.alreadyThere])
        #expect(try app.journal().read().steps.isEmpty)
    }

    @Test("Moving back leaves only earlier users in the group, even if other apps use it")
    func others() throws {
        try app.put("resident", in: .shared)
        try app.put("x", in: .own)
        try app.journal(of: "com.example.Notes").change { $0.slot = .shared }
        #expect(try migrate().map(\.kind) == [.moved])
        #expect(try undo(["x"], otherAppIDs: ["com.example.Notes"]).map(\.kind) == [.moved])
        #expect(try app.users(in: .shared) == ["resident"])
        #expect(try app.users(in: .own) == ["x"])
    }

    @Test("A start does not finish a move whose original other apps need")
    func kept() throws {
        try app.put("x", in: .shared)
        for id in [app.id, "com.example.Notes"] { try app.journal(of: id).change { $0.slot = .shared } }
        app.before(.write, of: .own) { app.before(.read, of: .own) { app.store.fail(as: .unavailable) } }
        #expect(try undo(["x"]).map(\.kind) == [.failed])
        app.store.mend()
        #expect(try app.users(in: .own) == ["x"])
        #expect(try start().shown == Shown("x", in: .shared))
        #expect(try app.users(in: .shared) == ["x"])
    }

    @Test("Moving back moves the account of the moved issuer, and no other of the same uid")
    func issuers() throws {
        let theirs = app.account("x", "theirs", issuer: "https://a.example")
        let ours = app.account("x", "ours", issuer: "https://b.example")
        try app.put(theirs, in: .shared)
        try app.put(ours, in: .own)
        let outcomes = try migrate()
        #expect(outcomes.map(\.kind) == [.moved])
        #expect(outcomes.flatMap(\.accountsAtTarget).isEmpty)
        #expect(try undo(outcomes.flatMap(\.accounts)).map(\.kind) == [.moved])
        #expect(try app.record(in: .shared).accounts.map(\.id) == [theirs.id])
        #expect(try app.record(in: .own).accounts.map(\.id) == [ours.id])
    }
}
