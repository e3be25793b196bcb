import Dispatch
import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// An app whose users are in memory, and the other processes that use them.
///
/// The rules of `store` apply to each start of the app, and to a `migration`. All others use the store behind it: what
/// they do is neither counted nor made to fail.
struct MemoryApp<Base: RecordStore>: Sendable {
    let id = "com.example.Mail"
    let group = "group.example.a"
    let otherGroup = "group.example.b"
    let store: FaultInjectingStore<Base>
    let identity: ScriptedIdentity
    /// The directory of the stored choices.
    let directory = TestDirectory.newPath()
    private let issuer: String?

    /// Makes an app whose accounts have this issuer. Without one, the app has no identity provider either.
    init(
        on store: FaultInjectingStore<Base> = FaultInjectingStore<InMemoryRecordStore>(),
        issuer: String? = Account.ownIssuer
    ) {
        self.store = store
        self.issuer = issuer
        identity = ScriptedIdentity(issuer: issuer)
    }

    // MARK: Starts

    var options: AuthApp.Options {
        AuthApp.Options(
            appID: id,
            project: "p",
            identityProvider: issuer == nil ? nil : identity.source,
            store: .custom(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
            timeout: .hang,
            stateDirectory: directory,
            observesOtherProcesses: false
        )
    }

    /// Starts the app in a process of its own. Its first load has ended when this returns, so that what a test does next
    /// comes after it.
    func start(_ adjust: (inout AuthApp.Options) -> Void = { _ in }) throws -> Auth {
        let auth = try launch(adjust)
        try auth.engine.waitForFirstLoad(by: .patient)
        return auth
    }

    /// Starts the app in a process of its own. Its first load may not have ended when this returns.
    func launch(_ adjust: (inout AuthApp.Options) -> Void = { _ in }) throws -> Auth {
        var options = options
        adjust(&options)
        return Auth.auth(app: try AuthApp(unregistered: options))
    }

    /// Starts the app with a user in its own slot.
    func start(with uid: String) throws -> Auth {
        try put(uid, in: .own)
        let auth = try start()
        #expect(auth.shown == Shown(uid, in: .own))
        return auth
    }

    /// Starts the app and signs a user in.
    func start(signingIn uid: String) async throws -> Auth {
        let auth = try start()
        try await signIn(uid, in: auth)
        return auth
    }

    /// Starts another process of the app, to which no rule applies.
    func startPeer() throws -> Auth { try start { $0.store = .custom(store.base) } }

    func signIn(_ uid: String, in auth: Auth) async throws {
        identity.expect(.scripted(uid))
        try await auth.signIn(withEmail: "person@example.com", password: "password")
    }

    // MARK: Slots

    var slots: UserSlots { UserSlots(store: store.base, appID: id, project: "p", instance: "default") }

    /// Returns an account with tokens of this name, by default of the app's issuer.
    func account(
        _ uid: String,
        _ token: String = "1",
        issuer: String? = nil,
        lasting lifetime: TimeInterval = 3600
    ) -> Account {
        Account(
            profile: UserProfile(uid: uid),
            tokens: .scripted(uid, token, lasting: lifetime),
            project: "p",
            issuer: issuer ?? self.issuer
        )
    }

    /// Stores a user as a sign-in does, in place of the current one or besides all who are there.
    func put(_ account: Account, in slot: Slot, besides keepsOthers: Bool = false) throws {
        try change(slot) { $0.signingIn(account, keepingOthers: keepsOthers) }
    }

    /// Stores users together; the last is current.
    func put(_ uids: String..., in slot: Slot, besides keepsOthers: Bool = false) throws {
        for (place, uid) in uids.enumerated() { try put(account(uid), in: slot, besides: keepsOthers || place > 0) }
    }

    /// Signs all users of a slot out.
    func empty(_ slot: Slot) throws { try change(slot) { _ in UserRecord() } }

    func change(_ slot: Slot, _ change: (UserRecord) -> UserRecord) throws {
        _ = try slots.update(slot, by: .patient) { .store(change($0.record)) }
    }

    func record(in slot: Slot) throws -> UserRecord { try slots.read(slot, by: .patient).record }

    /// Returns the revision of a slot's record; nil if nothing is stored.
    func revision(of slot: Slot) throws -> Revision? { try slots.read(slot, by: .patient).revision }

    /// Returns the uids in a slot, the current one first.
    func users(in slot: Slot) throws -> [String] {
        let record = try record(in: slot)
        return record.accounts.sorted { one, _ in one.id == record.current }.map(\.uid)
    }

    /// Returns the uid of the current user of a slot.
    func user(in slot: Slot) throws -> String? { try record(in: slot).current?.uid }

    // MARK: Meanwhile

    /// Lets another process act before the app's next call of a kind.
    func before(_ call: StoreCall, of key: RecordKey, _ act: @escaping @Sendable () throws -> Void) {
        store.before(call, of: key) { _ in #expect(throws: Never.self) { try act() } }
    }

    /// Lets another process act after the app's next call of a kind.
    func after(_ call: StoreCall, of key: RecordKey, _ act: @escaping @Sendable () throws -> Void) {
        store.after(call, of: key) { _ in #expect(throws: Never.self) { try act() } }
    }

    // MARK: Choices and migrations

    /// Returns the stored choice of an app, by default of this one, as another process sees it.
    func journal(of appID: String? = nil, in directory: String? = nil) -> Journal {
        Journal(in: Folder(directory ?? self.directory), appID: appID ?? id, project: "p", instance: "default")
    }

    func choose(_ slot: Slot) throws { try journal().change { $0.slot = slot } }

    /// Returns a tool's migration, by default on the app's store.
    func migration(
        from source: Slot = .own,
        to target: Slot = .shared,
        _ policy: MigrationPolicy = .fail,
        given: [String] = [],
        home: String = "/nonexistent",
        on store: (any RecordStore)? = nil
    ) throws -> UserMigration {
        try UserMigration(
            from: source.groupName,
            to: target.groupName,
            project: "p",
            store: .custom(store ?? self.store),
            stateDirectories: StateDirectories(own: directory, home: home, given: given),
            ifOccupied: policy
        )
    }

    /// Moves the app's users.
    func perform(
        _ migration: UserMigration,
        _ selection: UserMigration.Selection = UserMigration.Selection(),
        savingReplaced save: UserMigration.SaveReplaced = { _ in }
    ) throws -> [UserMigration.Outcome] {
        try migration.plan(for: .named([id]), selection).flatMap { migration.perform($0, savingReplaced: save) }
    }

    /// Returns what a migration of the app's users would do.
    func preview(_ migration: UserMigration) throws -> [UserMigration.Outcome] {
        try migration.preview(migration.plan(for: .named([id])))
    }

    /// Moves the app's users as a tool in another process does.
    func migrate(from source: Slot = .own, to target: Slot = .shared) throws {
        #expect(try perform(migration(from: source, to: target, on: store.base)).map(\.kind) == [.moved])
    }
}

extension Slot {
    /// The slots of a `MemoryApp`'s two groups.
    static let (shared, elsewhere) = (Slot.group("group.example.a"), Slot.group("group.example.b"))
}

extension RecordKey {
    /// The keys of a `MemoryApp`'s slots.
    static let (own, shared, elsewhere) = (mail, group("group.example.a"), group("group.example.b"))

    private static func group(_ name: String) -> RecordKey {
        RecordKey(scope: .group(name), project: "p", instance: "default", kind: "user")
    }
}

/// What an app shows: its user and the slot in use.
struct Shown: Equatable {
    let uid: String?
    let slot: Slot

    init(_ uid: String?, in slot: Slot) { (self.uid, self.slot) = (uid, slot) }
}

extension Auth {
    var shown: Shown { Shown(currentUser?.uid, in: userAccessGroup.map(Slot.group) ?? .own) }

    /// Waits until all earlier announcements to listeners were made: a completion handler runs after them.
    func waitForAnnouncements() {
        let hasEnded = Recorder<Void>()
        updateCurrentUser(nil) { _ in hasEnded.record(()) }
        #expect(hasEnded.first { true } != nil)
    }
}
