import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

/// Migrations whose store fails after the copy was written, so that they can be neither finished nor reverted.
struct PendingMigrationTests {
    private static let group = "group.example.a"
    private static let mail = "com.example.Mail"

    private let place: FilePlace
    private let store = FaultInjectingStore()

    init() throws {
        place = try FilePlace()
    }

    private func migration(_ isBack: Bool = false) throws -> UserMigration {
        try UserMigration(
            from: isBack ? Self.group : nil,
            to: isBack ? nil : Self.group,
            project: "p",
            store: .custom(store),
            stateDirectories: StateDirectories(own: place.root, home: "/nonexistent", given: []),
            ifOccupied: .add
        )
    }

    private func account(_ uid: String, issuer: String? = nil) -> Account {
        Account(profile: UserProfile(uid: uid), tokens: .scripted(uid, issuer ?? "1"), project: "p", issuer: issuer)
    }

    private func slots(_ appID: String = Self.mail) throws -> UserSlots { try migration().slots(of: appID) }

    private func put(_ account: Account, in slot: Slot) throws {
        _ = try slots().update(slot, by: .patient) { .store($0.record.signingIn(account, keepingOthers: true)) }
    }

    private func users(in slot: Slot) throws -> [String] {
        try slots().read(slot, by: .patient).record.accounts.map(\.uid)
    }

    private func journal(of appID: String = Self.mail) -> Journal {
        Journal(directory: place.root, appID: appID, project: "p", instance: "default")
    }

    private func start() throws -> Auth {
        let options = AuthApp.Options(
            appID: Self.mail,
            accessGroups: [Self.group],
            project: "p",
            store: .custom(store),
            stateDirectory: place.root,
            observesOtherProcesses: false
        )
        return Auth.auth(app: try AuthApp(unregistered: options))
    }

    /// Migrates to the group. The store fails once the copy is written.
    private func fail() throws -> [UserMigration.Outcome] {
        let key = try slots().key(.group(Self.group))
        store.before(.write, of: key) { [store] _ in
            store.before(.read, of: key) { _ in store.fail(as: .unavailable) }
        }
        let migration = try migration()
        let outcomes = try migration.plan(for: .named([Self.mail])).flatMap { migration.perform($0) }
        store.mend()
        return outcomes
    }

    private func undo(_ accounts: [AccountID], otherAppIDs: Set<String> = []) throws -> [UserMigration.Outcome] {
        let migration = try migration(true)
        let selection = UserMigration.Selection(accounts, otherAppIDs: otherAppIDs)
        let steps = try migration.plan(for: .named([Self.mail]), selection)
        return steps.flatMap { migration.perform($0) }
    }

    @Test("A move that cannot be finished is pending, and the app's next start finishes it")
    func pending() throws {
        try put(account("x"), in: .own)
        let outcome = try #require(try fail().first)
        #expect(outcome.kind == .pending)
        #expect(outcome.error?.code == .outcomeUnknown)
        #expect(try users(in: .group(Self.group)) == ["x"] && users(in: .own) == ["x"])
        let auth = try start()
        #expect(auth.currentUser?.uid == "x")
        #expect(auth.userAccessGroup == Self.group)
        #expect(try users(in: .own).isEmpty)
    }

    @Test("If the target's turn times out before a copy is begun, the user stays in place")
    func noTurn() throws {
        try put(account("x"), in: .own)
        let silence = RecordStoreError(.timedOut, "The test does not answer.", outcomeIsUnknown: true)
        store.fail(.update, of: try slots().key(.group(Self.group)), times: 1, with: silence)
        let migration = try migration()
        #expect(
            try migration.plan(for: .named([Self.mail])).flatMap { migration.perform($0) }.map(\.kind) == [.pending]
        )
        #expect(try users(in: .own) == ["x"] && users(in: .group(Self.group)).isEmpty)
        #expect(try journal().read().slot == .own)
    }

    @Test("Moving back cancels a pending move, before or after the app's next start", arguments: [false, true])
    func undone(afterStart: Bool) throws {
        try put(account("x"), in: .own)
        let accounts = try fail().flatMap(\.accounts)
        if afterStart { #expect(try start().userAccessGroup == Self.group) }
        #expect(try undo(accounts).map(\.kind) == [.moved])
        #expect(try users(in: .group(Self.group)).isEmpty)
        #expect(try journal().read() == GroupChoice())
        let auth = try start()
        #expect(auth.currentUser?.uid == "x")
        #expect(auth.userAccessGroup == nil)
        #expect(try users(in: .own) == ["x"])
    }

    @Test("Moving back loses no user when the app finishes the pending move in between")
    func undoneWhileEnded() throws {
        try put(account("x"), in: .own)
        let accounts = try fail().flatMap(\.accounts)
        let key = try slots().key(.group(Self.group))
        store.before(.update, of: key) { _ in _ = try? start().currentUser }
        _ = try undo(accounts)
        let auth = try start()
        #expect(auth.currentUser?.uid == "x")
        #expect(try undo(accounts).map(\.kind).contains(.failed) == false)
        #expect(try start().userAccessGroup == nil)
        #expect(try users(in: .own) == ["x"])
        #expect(try users(in: .group(Self.group)).isEmpty)
    }

    @Test("Once a move is cancelled, a copy that has not arrived is not waited for")
    func neverArrived() throws {
        try put(account("x"), in: .own)
        try journal().change(by: .patient) { $0.begin(.migration(of: "x", to: .group(Self.group))) }
        #expect(try undo(["x"]).map(\.kind) == [.alreadyThere])
        #expect(try journal().read().steps.isEmpty)
    }

    @Test("Moving back leaves only earlier users in the group, even if other apps use it")
    func others() throws {
        try put(account("resident"), in: .group(Self.group))
        try put(account("x"), in: .own)
        try journal(of: "com.example.Notes").change(by: .patient) { $0.slot = .group(Self.group) }
        let migration = try migration()
        #expect(try migration.plan(for: .named([Self.mail])).flatMap { migration.perform($0) }.map(\.kind) == [.moved])
        #expect(try undo(["x"], otherAppIDs: ["com.example.Notes"]).map(\.kind) == [.moved])
        #expect(try users(in: .group(Self.group)) == ["resident"])
        #expect(try users(in: .own) == ["x"])
    }

    @Test("Moving back moves the account of the moved issuer, and no other of the same uid")
    func issuers() throws {
        let (theirs, ours) = (account("x", issuer: "https://a.example"), account("x", issuer: "https://b.example"))
        try put(theirs, in: .group(Self.group))
        try put(ours, in: .own)
        let migration = try migration()
        let outcomes = try migration.plan(for: .named([Self.mail])).flatMap { migration.perform($0) }
        #expect(outcomes.map(\.kind) == [.moved])
        #expect(outcomes.flatMap(\.accountsAtTarget).isEmpty)
        #expect(try undo(outcomes.flatMap(\.accounts)).map(\.kind) == [.moved])
        #expect(try slots().read(.group(Self.group), by: .patient).record.accounts.map(\.id) == [theirs.id])
        #expect(try slots().read(.own, by: .patient).record.accounts.map(\.id) == [ours.id])
    }
}
