import Dispatch
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// `migrateCurrentUser` with each policy, when another user is at the target or signs in there meanwhile.
struct MigrationPolicyTests {
    private static let group = "group.example.a"
    private static let mail = "com.example.Mail"

    /// The content of the target. With `anotherMeanwhile`, another user signs in there after the app's read.
    enum Target: CaseIterable { case empty, sameUser, another, anotherMeanwhile }

    private let store = FaultInjectingStore()
    private let identity = ScriptedIdentity()
    private let directory = TestDirectory.newPath()

    private func start(keepsOthers: Bool = false) throws -> Auth {
        let options = AuthApp.Options(
            appID: Self.mail,
            project: "p",
            identityProvider: identity.source,
            store: .custom(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners")),
            stateDirectory: directory,
            observesOtherProcesses: false,
            keepsOtherUsers: keepsOthers
        )
        return Auth.auth(app: try AuthApp(unregistered: options))
    }

    private func account(_ uid: String, _ token: String = "1") -> Account {
        Account(
            profile: UserProfile(uid: uid),
            tokens: .scripted(uid, token),
            project: "p",
            issuer: Account.ownIssuer
        )
    }

    private func slots() -> UserSlots {
        UserSlots(store: store.base, appID: Self.mail, project: "p", instance: AuthApp.defaultName)
    }

    private func put(_ uid: String, in slot: Slot) throws { try put(account(uid), in: slot) }

    private func put(_ account: Account, in slot: Slot) throws {
        _ = try slots().update(slot, by: .patient) { .store($0.record.signingIn(account, keepingOthers: true)) }
    }

    /// Returns the users in a slot, the current one first.
    private func users(in slot: Slot) throws -> [String] {
        let record = try slots().read(slot, by: .patient).record
        return record.accounts.sorted { one, _ in one.id == record.current }.map(\.uid)
    }

    private func journal() -> Journal {
        Journal(directory: directory, appID: Self.mail, project: "p", instance: AuthApp.defaultName)
    }

    private func prepare(_ target: Target) throws {
        let (group, key) = (Slot.group(Self.group), try slots().key(.group(Self.group)))
        switch target {
        case .empty: break
        case .sameUser: try put("x", in: group)
        case .another: try put("z", in: group)
        case .anotherMeanwhile:
            store.before(.update, of: key) { _ in #expect(throws: Never.self) { try put("z", in: group) } }
        }
    }

    @Test(
        "Each policy decides where both users end up, whenever the other one arrives",
        arguments: MigrationPolicy.allCases,
        Target.allCases
    )
    func decides(_ policy: MigrationPolicy, _ target: Target) async throws {
        for keepsOthers in [false, true] {
            try await decide(policy, target, keepsOthers)
            for slot in [Slot.own, .group(Self.group)] {
                _ = try slots().update(slot, by: .patient) { _ in .store(UserRecord()) }
            }
            try journal().change(by: .patient) { $0 = GroupChoice() }
        }
    }

    private func decide(_ policy: MigrationPolicy, _ target: Target, _ keepsOthers: Bool) async throws {
        try put("x", in: .own)
        let auth = try start(keepsOthers: keepsOthers)
        #expect(auth.currentUser?.uid == "x")
        try prepare(target)
        var code: AuthErrorCode?
        do throws(AuthError) {
            try await auth.migrateCurrentUser(toAccessGroup: Self.group, policy: policy)
        } catch {
            code = error.code
        }
        let isOccupied = [.another, .anotherMeanwhile].contains(target)
        let (own, group, current): ([String], [String], String) =
            switch policy {
            case _ where !isOccupied: ([], ["x"], "x")
            case .fail, .skip: (["x"], ["z"], "x")
            case .replace: ([], keepsOthers ? ["x", "z"] : ["x"], "x")
            case .add: ([], ["z", "x"], "z")
            case .join: (["x"], ["z"], "z")
            }
        let stays = isOccupied && [.fail, .skip].contains(policy)
        #expect(code == (isOccupied && policy == .fail ? .accessGroupOccupied : nil))
        #expect(try users(in: .own) == own)
        #expect(try users(in: .group(Self.group)) == group)
        for app in [auth, try start()] {
            #expect(app.currentUser?.uid == current)
            #expect(app.userAccessGroup == (stays ? nil : Self.group))
        }
        auth.waitUntilIdle()
        #expect(try journal().read() == GroupChoice(slot: stays ? .own : .group(Self.group)))
    }

    @Test("A user who could not be saved is moved, and the stored user stays in the slot")
    func unsaved() async throws {
        try put("z", in: .own)
        let auth = try start()
        #expect(auth.currentUser?.uid == "z")
        store.fail(.update, times: 1)
        try? await auth.updateCurrentUser(User(account("y"), auth: auth, slot: nil))
        #expect(auth.currentUser?.uid == "y")
        // A start that finishes the deletion would delete the accounts that the step names.
        let named = Mutex<[AccountID?]>([])
        let journal = journal()
        store.after(.update, of: try slots().key(.own)) { _ in
            let steps = (try? journal.read(by: .patient).steps) ?? []
            named.withLock { named in
                for case .deletion(_, _, let accounts) in steps {
                    named += accounts.map { $0.map(Optional.some) } ?? [nil]
                }
            }
        }
        try await auth.migrateCurrentUser(toAccessGroup: Self.group)
        #expect(named.withLock { $0 } == [account("y").id])
        #expect(auth.currentUser?.uid == "y")
        #expect(try users(in: .own) == ["z"])
        #expect(try users(in: .group(Self.group)) == ["y"])
        #expect(try start().currentUser?.uid == "y")
        #expect(try users(in: .own) == ["z"])
    }

    @Test("The app starts where its copy became a second account before the process died")
    func resumedAsSecond() throws {
        let account = account("x")
        try put(account, in: .own)
        try put(account, in: .group(Self.group))
        try put("z", in: .group(Self.group))
        try journal().change(by: .patient) { $0.begin(.migration(of: account.id, to: .group(Self.group))) }
        let auth = try start()
        #expect(auth.currentUser?.uid == "z" && auth.userAccessGroup == Self.group)
        #expect(try users(in: .own).isEmpty)
        #expect(try users(in: .group(Self.group)) == ["z", "x"])
        #expect(try journal().read() == GroupChoice(slot: .group(Self.group)))
    }

    @Test("A move whose step another process cancels is a conflict and removes its copy")
    func cancelled() async throws {
        try put("x", in: .own)
        let (auth, journal) = (try start(), journal())
        #expect(auth.currentUser?.uid == "x")
        store.after(.update, of: try slots().key(.group(Self.group))) { _ in
            _ = try? journal.change(by: .patient) { $0.endMigrations(to: .group(Self.group)) }
        }
        await expectFailure(.conflict) { try await auth.migrateCurrentUser(toAccessGroup: Self.group) }
        #expect(auth.currentUser?.uid == "x" && auth.userAccessGroup == nil)
        #expect(try users(in: .own) == ["x"])
        #expect(try users(in: .group(Self.group)).isEmpty)
        #expect(try journal.read() == GroupChoice())
    }

    /// Returns an app whose move makes a copy but cannot delete the original. `call` then fails at the target.
    private func moving(failing call: StoreCall) throws -> Auth {
        try put("x", in: .own)
        let auth = try start()
        #expect(auth.currentUser?.uid == "x")
        let (own, group) = (try slots().key(.own), try slots().key(.group(Self.group)))
        store.before(.deletion, of: own) { [store] _ in store.fail(call, of: group) }
        store.fail(.deletion, of: own, times: 1, isDone: false)
        return auth
    }

    @Test("A move whose choice cannot be reverted is made; a reread deletes the original")
    func choiceNotPutBack() async throws {
        let auth = try moving(failing: .acquire("lock"))
        try await auth.migrateCurrentUser(toAccessGroup: Self.group)
        #expect(auth.currentUser?.uid == "x" && auth.userAccessGroup == Self.group)
        #expect(try users(in: .own) == ["x"] && users(in: .group(Self.group)) == ["x"])
        store.mend()
        #expect(auth.engine.rereadSlot() == false)
        #expect(try users(in: .own).isEmpty)
        #expect(try journal().read() == GroupChoice(slot: .group(Self.group)))
    }

    @Test("If a copy cannot be removed, the app stays put and the next start ends the move")
    func copyNotTakenBack() async throws {
        let auth = try moving(failing: .update)
        await expectFailure(.outcomeUnknown) { try await auth.migrateCurrentUser(toAccessGroup: Self.group) }
        #expect(auth.currentUser?.uid == "x" && auth.userAccessGroup == nil)
        #expect(try users(in: .own) == ["x"] && users(in: .group(Self.group)) == ["x"])
        #expect(try journal().read().slot == .own)
        store.mend()
        let next = try start()
        #expect(next.currentUser?.uid == "x" && next.userAccessGroup == Self.group)
        #expect(try users(in: .own).isEmpty)
        #expect(try journal().read() == GroupChoice(slot: .group(Self.group)))
    }

    @Test("Apps of a group join the users in their own slots, and the group's user stays")
    func joinedOwn() throws {
        let apps = ["com.example.Calendar", "com.example.Notes"]
        try put("x", in: .group(Self.group))
        for app in apps {
            let journal = Journal(directory: directory, appID: app, project: "p", instance: AuthApp.defaultName)
            try journal.change(by: .patient) { $0.slot = .group(Self.group) }
        }
        let migration = try UserMigration(
            from: Self.group,
            to: nil,
            project: "p",
            store: .custom(store),
            stateDirectories: StateDirectories(own: directory, home: "/nonexistent", given: []),
            ifOccupied: .join
        )
        let notes = migration.slots(of: apps[1])
        _ = try notes.update(.own, by: .patient) { _ in .store(UserRecord().signingIn(account("z"))) }
        let steps = try migration.plan(for: .all)
        #expect(try migration.preview(steps).map(\.kind) == [.moved, .joined])
        #expect(steps.flatMap { $0.beginning(of: migration) }.map(\.kind) == [.moved, .joined])
        #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.moved, .joined])
        #expect(try users(in: .group(Self.group)) == ["x"])
        #expect(try migration.slots(of: apps[0]).read(.own, by: .patient).record.accounts.map(\.uid) == ["x"])
        #expect(try notes.read(.own, by: .patient).record.accounts.map(\.uid) == ["z"])
        for app in apps {
            let journal = Journal(directory: directory, appID: app, project: "p", instance: AuthApp.defaultName)
            #expect(try journal.read() == GroupChoice())
        }
    }
}
