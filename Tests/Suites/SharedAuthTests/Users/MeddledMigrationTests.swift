import Dispatch
import Foundation
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Migrations whose slots another process changes meanwhile.
struct MeddledMigrationTests {
    static let group = "group.example.a"
    static let mail = "com.example.Mail"

    let place: FilePlace
    let store = FaultInjectingStore()

    init() throws {
        place = try FilePlace()
    }

    var deadline: Deadline { .patient }

    func migration(
        to target: String? = group,
        _ policy: MigrationPolicy = .fail,
        given: [String] = [],
        home: String = "/nonexistent"
    ) throws -> UserMigration {
        try UserMigration(
            from: target == nil ? Self.group : nil,
            to: target,
            project: "p",
            store: .custom(store),
            stateDirectories: StateDirectories(own: place.root, home: home, given: given),
            ifOccupied: policy
        )
    }

    func slots() throws -> UserSlots { try migration().slots(of: Self.mail) }

    func account(_ uid: String, _ token: String = "1", issuer: String? = nil, later: Bool = false) -> Account {
        var tokens = UserTokens.scripted(uid, token)
        if later {
            tokens = UserTokens(
                idToken: tokens.idToken,
                refreshToken: tokens.refreshToken,
                expirationDate: tokens.expirationDate.addingTimeInterval(3600)
            )
        }
        return Account(profile: UserProfile(uid: uid), tokens: tokens, project: "p", issuer: issuer)
    }

    @discardableResult
    func put(_ account: Account, in slot: Slot) throws -> SlotContents {
        try slots().update(slot, by: deadline) { .store($0.record.signingIn(account, keepingOthers: true)) }
    }

    func record(_ slot: Slot) throws -> UserRecord { try slots().read(slot, by: deadline).record }

    func perform(
        _ migration: UserMigration,
        _ save: UserMigration.SaveReplaced = { _ in }
    ) throws -> [UserMigration.Outcome] {
        try migration.plan(for: .named([Self.mail])).flatMap { migration.perform($0, savingReplaced: save) }
    }

    func journal(_ directory: String? = nil) -> Journal {
        Journal(directory: directory ?? place.root, appID: Self.mail, project: "p", instance: "default")
    }

    @Test(
        "A session new at the target is saved before removal, and newer tokens are moved"
    )
    func replacedMeanwhile() throws {
        try put(account("x"), in: .own)
        let (slots, newer, stranger) = (try slots(), account("x", "2", later: true), account("z"))
        store.before(.update, of: try slots.key(.own)) { [deadline] _ in
            // After the copy, the app refreshes, and another user signs in at the target.
            _ = try? slots.update(.own, by: deadline) { .store($0.record.signingIn(newer)) }
            _ = try? slots.update(.group(Self.group), by: deadline) { _ in .store(UserRecord().signingIn(stranger)) }
        }
        var saved: [String] = []
        let outcomes = try perform(try migration(.replace)) { saved.append($0.uid) }
        #expect(outcomes.map(\.kind) == [.moved])
        #expect(saved == ["z"])
        #expect(outcomes.first?.replacedUID == "z")
        #expect(try record(.group(Self.group)).accounts.map(\.tokens.refreshToken) == [newer.tokens.refreshToken])
        #expect(try record(.own).isEmpty)
    }

    func migration(_ policy: MigrationPolicy) throws -> UserMigration {
        try migration(to: Self.group, policy)
    }

    @Test("With the policy fail, a user new at the target stays and nothing else changes")
    func occupiedMeanwhile() throws {
        try put(account("x"), in: .own)
        let (slots, newer, stranger) = (try slots(), account("x", "2", later: true), account("z"))
        store.before(.update, of: try slots.key(.own)) { [deadline] _ in
            _ = try? slots.update(.own, by: deadline) { .store($0.record.signingIn(newer)) }
            _ = try? slots.update(.group(Self.group), by: deadline) { .store($0.record.signingIn(stranger)) }
        }
        #expect(try perform(try migration(.fail)).map(\.kind) == [.conflict])
        #expect(try record(.group(Self.group)).accounts.map(\.uid) == ["z"])
        #expect(try record(.own).accounts.map(\.uid) == ["x"])
        #expect(try journal().read() == GroupChoice())
    }

    @Test("A user new at the source is moved too, and one who signs out is not brought back")
    func sourceMeanwhile() throws {
        try put(account("x"), in: .own)
        let (slots, other) = (try slots(), account("y"))
        store.before(.update, of: try slots.key(.own)) { [deadline] _ in
            _ = try? slots.update(.own, by: deadline) { .store($0.record.signingIn(other, keepingOthers: true)) }
        }
        #expect(try perform(try migration(.add)).map(\.kind) == [.moved])
        #expect(Set(try record(.group(Self.group)).accounts.map(\.uid)) == ["x", "y"])
        #expect(try record(.own).isEmpty)

        try put(account("v"), in: .own)
        try journal().change(by: deadline) { $0.slot = .own }
        store.before(.update, of: try slots.key(.own)) { [deadline] _ in
            _ = try? slots.update(.own, by: deadline) { .store($0.record.removing("v" as AccountID)) }
        }
        #expect(try perform(try migration(.add)).map(\.kind) == [.conflict])
        #expect(Set(try record(.group(Self.group)).accounts.map(\.uid)) == ["x", "y"])
        #expect(try journal().read().slot == .own)
    }

    @Test("A user signed out at the target returns by a later sign-in, not by the original")
    func signedOut() throws {
        let original = try #require(try put(account("x"), in: .own).revision)
        let named = try slots().copiedFrom(.own, at: original)
        _ = try slots().update(.group(Self.group), by: deadline) { _ in
            .store(UserRecord().signingIn(account("x")).removing("x", leaving: [named]))
        }
        let refused = try perform(try migration(.fail))
        #expect(refused.map(\.kind) == [.conflict])
        #expect(
            refused.first?.error?.message
                == "x has signed out of access group \(Self.group), and this copy is still to be deleted."
        )
        #expect(
            try migration(.fail).preview(try migration(.fail).plan(for: .named([Self.mail]))).map(\.kind) == [.conflict]
        )
        #expect(try record(.own).accounts.map(\.uid) == ["x"])
        #expect(try journal().read() == GroupChoice())

        try put(account("x", "2"), in: .own)
        #expect(try perform(try migration(.fail)).map(\.kind) == [.moved])
        #expect(try record(.group(Self.group)).accounts.map(\.uid) == ["x"])
        #expect(try record(.own).isEmpty)
    }

    @Test("A damaged target is set aside if it may be replaced, and is an error otherwise")
    func damagedTarget() throws {
        try put(account("x"), in: .own)
        let key = try slots().key(.group(Self.group))
        try store.base.update(key, by: deadline) { _ in .write(Array("damage".utf8)) }
        for policy in [MigrationPolicy.fail, .add, .skip] {
            let outcomes = try perform(try migration(policy))
            #expect(outcomes.map(\.kind) == [.failed])
            #expect(outcomes.first?.error?.code == .recordDamaged)
        }
        let migration = try migration(.replace)
        #expect(try migration.preview(try migration.plan(for: .named([Self.mail]))).map(\.kind) == [.moved])
        #expect(try perform(migration).map(\.kind) == [.moved])
        #expect(try record(.group(Self.group)).accounts.map(\.uid) == ["x"])
    }

    @Test("The same uid of another issuer is another account, and both are kept together")
    func issuersTogether() throws {
        try put(account("x", issuer: "one"), in: .own)
        try put(account("x", "2", issuer: "two"), in: .group(Self.group))
        #expect(try perform(try migration(.add)).map(\.kind) == [.moved])
        let group = try record(.group(Self.group))
        #expect(group.accounts.map(\.issuer) == ["two", "one"] && group.currentAccount?.issuer == "two")
        #expect(try record(.own).accounts.isEmpty)
    }

    @Test("The same uid of another issuer is another user")
    func issuers() throws {
        try put(account("x", issuer: "one"), in: .own)
        try put(account("x", "2", issuer: "two"), in: .group(Self.group))
        for policy in [MigrationPolicy.fail, .skip] {
            #expect(try perform(try migration(policy)).map(\.kind) == [policy == .skip ? .skipped : .conflict])
            #expect(try record(.group(Self.group)).accounts.map(\.issuer) == ["two"])
            #expect(try record(.own).accounts.map(\.issuer) == ["one"])
        }
        var saved: [String] = []
        #expect(try perform(try migration(.replace)) { saved.append($0.uid) }.map(\.kind) == [.moved])
        #expect(saved == ["x"])
        #expect(try record(.group(Self.group)).accounts.map(\.issuer) == ["one"])
    }

    // MARK: Interrupted migrations

    @Test("The next start deletes all moved accounts, and none that is newer or stays")
    func severalLeftBehind() throws {
        for account in [account("x"), account("y"), account("z")] { try put(account, in: .own) }
        let revision = try #require(try slots().read(.own, by: deadline).revision)
        for account in [account("x"), account("z")] { try put(account, in: .group(Self.group)) }
        try journal().change(by: deadline) { choice in
            choice = GroupChoice(
                slot: .group(Self.group),
                pending: .deletion(of: .own, revision: revision, accounts: ["x", "z"])
            )
        }
        let auth = try start()
        #expect(auth.currentUser?.uid == "z")
        #expect(try record(.own).accounts.map(\.uid) == ["y"])
        auth.waitUntilIdle()
        #expect(try journal().read() == GroupChoice(slot: .group(Self.group)))
    }

    @Test("Remaining originals of one record are deleted together, except without a copy")
    func severalOriginals() throws {
        for account in [account("x"), account("y"), account("z")] { try put(account, in: .own) }
        let revision = try #require(try slots().read(.own, by: deadline).revision)
        for account in [account("x"), account("z")] { try put(account, in: .group(Self.group)) }
        try journal().change(by: deadline) { choice in
            choice.slot = .group(Self.group)
            choice.remainingOriginals = (["x", "y", "z"] as [AccountID]).map {
                .init($0, slot: .own, revision: revision, target: .group(Self.group))
            }
        }
        #expect(try start().currentUser?.uid == "z")
        let left = try slots().read(.own, by: deadline)
        #expect(left.record.accounts.map(\.uid) == ["y"])
        #expect(try journal().read().remainingOriginals.map(\.uid) == ["y"])
        #expect(try journal().read().remainingOriginals.first?.revision == left.revision)
    }

    @Test("An app that cannot read its user's new slot retries, and then observes that slot")
    func unreadableTarget() throws {
        try put(account("x"), in: .own)
        let failing = FaultInjectingStore(store.base)
        let auth = try start(on: failing, observing: true)
        let heard = Mutex<[String?]>([])
        let news = DispatchSemaphore(value: 0)
        let handle = auth.addIDTokenDidChangeListener { _, user in
            heard.withLock { $0.append(user?.refreshToken) }
            news.signal()
        }
        defer { auth.removeIDTokenDidChangeListener(handle) }
        #expect(news.wait(timeout: .now() + 120) == .success)
        failing.fail(.read, of: try slots().key(.group(Self.group)), times: 2)
        #expect(try perform(try migration()).map(\.kind) == [.moved])
        let newer = account("x", "2", later: true)
        try put(newer, in: .group(Self.group))
        #expect(news.wait(timeout: .now() + 120) == .success)
        #expect(heard.withLock { $0 } == ["x/refresh/1", "x/refresh/2"])
        #expect(auth.userAccessGroup == Self.group)
        _ = try slots().update(.group(Self.group), by: deadline) { _ in .store(UserRecord()) }
        #expect(news.wait(timeout: .now() + 120) == .success)
        #expect(heard.withLock { $0.last } == .some(nil))
    }

    private func start(on store: (any RecordStore)? = nil, observing: Bool = false) throws -> Auth {
        let options = AuthApp.Options(
            appID: Self.mail,
            project: "p",
            store: .custom(store ?? self.store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.listeners")),
            stateDirectory: place.root,
            observesOtherProcesses: observing
        )
        return Auth.auth(app: try AuthApp(unregistered: options))
    }

    @Test("All uids of several accounts are listed, and those already at the target")
    func uids() throws {
        for account in [account("x"), account("y")] { try put(account, in: .own) }
        try put(account("x"), in: .group(Self.group))
        let migration = try migration(.add)
        let steps = try migration.plan(for: .named([Self.mail]))
        let begun = steps.flatMap { $0.beginning(of: migration) }
        let looked = try migration.preview(steps)
        for outcomes in [begun, looked, steps.flatMap { migration.perform($0) }] {
            #expect(outcomes.map(\.uid) == ["y"])
            #expect(outcomes.map(\.uids) == [["x", "y"]])
            #expect(outcomes.map(\.uidsAtTarget) == [["x"]])
        }
    }
}
