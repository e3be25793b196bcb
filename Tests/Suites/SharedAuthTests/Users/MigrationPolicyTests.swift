import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// `migrateCurrentUser` with each policy, when another user is at the target or signs in there meanwhile.
struct MigrationPolicyTests {
    /// The content of the target. With `anotherMeanwhile`, another user signs in there after the app's read.
    enum Target: CaseIterable { case empty, sameUser, another, anotherMeanwhile }

    private let app = MemoryApp()

    private func prepare(_ target: Target) throws {
        switch target {
        case .empty: break
        case .sameUser: try app.put("x", in: .shared)
        case .another: try app.put("z", in: .shared)
        case .anotherMeanwhile: app.before(.update, of: .shared) { try app.put("z", in: .shared) }
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
            for slot in [Slot.own, .shared] { try app.empty(slot) }
            try app.journal().change { $0 = GroupChoice() }
        }
    }

    private func decide(_ policy: MigrationPolicy, _ target: Target, _ keepsOthers: Bool) async throws {
        try app.put("x", in: .own)
        let auth = try app.start { $0.keepsOtherUsers = keepsOthers }
        #expect(auth.currentUser?.uid == "x")
        try prepare(target)
        var code: AuthErrorCode?
        do throws(AuthError) {
            try await auth.migrateCurrentUser(toAccessGroup: app.group, policy: policy)
        } catch {
            code = error.code
        }
        let isOccupied = [.another, .anotherMeanwhile].contains(target)
        let (own, group, shown): ([String], [String], Shown) =
            switch policy {
            case _ where !isOccupied: ([], ["x"], Shown("x", in: .shared))
            case .fail, .skip: (["x"], ["z"], Shown("x", in: .own))
            case .replace: ([], keepsOthers ? ["x", "z"] : ["x"], Shown("x", in: .shared))
            case .add: ([], ["z", "x"], Shown("z", in: .shared))
            case .join: (["x"], ["z"], Shown("z", in: .shared))
            }
        #expect(code == (isOccupied && policy == .fail ? .accessGroupOccupied : nil))
        #expect(try app.users(in: .own) == own)
        #expect(try app.users(in: .shared) == group)
        for auth in [auth, try app.start()] { #expect(auth.shown == shown) }
        auth.waitUntilIdle()
        #expect(try app.journal().read() == GroupChoice(slot: shown.slot))
    }

    @Test("A user who could not be saved is moved, and the stored user stays in the slot")
    func unsaved() async throws {
        let auth = try app.start(with: "z")
        app.store.fail(.update, times: 1)
        try? await auth.updateCurrentUser(User(app.account("y"), auth: auth, slot: nil))
        #expect(auth.currentUser?.uid == "y")
        // A start that finishes the deletion would delete the accounts that the step names.
        let named = Mutex<[AccountID?]>([])
        app.after(.update, of: .own) {
            for case .deletion(_, _, let accounts) in try app.journal().read().steps {
                named.withLock { $0 += accounts.map { $0.map(Optional.some) } ?? [nil] }
            }
        }
        try await auth.migrateCurrentUser(toAccessGroup: app.group)
        #expect(named.withLock { $0 } == [app.account("y").id])
        #expect(auth.currentUser?.uid == "y")
        #expect(try app.users(in: .own) == ["z"])
        #expect(try app.users(in: .shared) == ["y"])
        #expect(try app.start().currentUser?.uid == "y")
        #expect(try app.users(in: .own) == ["z"])
    }

    @Test("The app starts where its copy became a second account before the process died")
    func resumedAsSecond() throws {
        let account = app.account("x")
        for slot in [Slot.own, .shared] { try app.put(account, in: slot) }
        try app.put("z", in: .shared, besides: true)
        try app.journal().change { $0.begin(.migration(of: account.id, to: .shared)) }
        #expect(try app.start().shown == Shown("z", in: .shared))
        #expect(try app.users(in: .own).isEmpty)
        #expect(try app.users(in: .shared) == ["z", "x"])
        #expect(try app.journal().read() == GroupChoice(slot: .shared))
    }

    @Test("A move whose step another process cancels is a conflict and removes its copy")
    func cancelled() async throws {
        let auth = try app.start(with: "x")
        app.after(.update, of: .shared) { try app.journal().change { $0.endMigrations(to: .shared) } }
        await expectFailure(.conflict) { try await auth.migrateCurrentUser(toAccessGroup: app.group) }
        #expect(auth.shown == Shown("x", in: .own))
        #expect(try app.users(in: .own) == ["x"])
        #expect(try app.users(in: .shared).isEmpty)
        #expect(try app.journal().read() == GroupChoice())
    }

    /// Returns an app whose move makes a copy but cannot delete the original. `call` then fails at the target.
    private func moving(failing call: StoreCall) throws -> Auth {
        let auth = try app.start(with: "x")
        app.before(.deletion, of: .own) { app.store.fail(call, of: .shared) }
        app.store.fail(.deletion, of: .own, times: 1, isDone: false)
        return auth
    }

    @Test("A move whose choice cannot be reverted is made; a reread deletes the original")
    func choiceNotPutBack() async throws {
        let auth = try moving(failing: .acquire("lock"))
        try await auth.migrateCurrentUser(toAccessGroup: app.group)
        #expect(auth.shown == Shown("x", in: .shared))
        #expect(try app.users(in: .own) == ["x"] && app.users(in: .shared) == ["x"])
        app.store.mend()
        #expect(auth.engine.rereadSlot() == false)
        #expect(try app.users(in: .own).isEmpty)
        #expect(try app.journal().read() == GroupChoice(slot: .shared))
    }

    @Test("If a copy cannot be removed, the app stays put and the next start ends the move")
    func copyNotTakenBack() async throws {
        let auth = try moving(failing: .update)
        await expectFailure(.outcomeUnknown) { try await auth.migrateCurrentUser(toAccessGroup: app.group) }
        #expect(auth.shown == Shown("x", in: .own))
        #expect(try app.users(in: .own) == ["x"] && app.users(in: .shared) == ["x"])
        #expect(try app.journal().read().slot == .own)
        app.store.mend()
        let next = try app.start()
        #expect(next.shown == Shown("x", in: .shared))
        #expect(try app.users(in: .own).isEmpty)
        #expect(try app.journal().read() == GroupChoice(slot: .shared))
    }

    @Test("Apps of a group join the users in their own slots, and the group's user stays")
    func joinedOwn() throws {
        let apps = ["com.example.Calendar", "com.example.Notes"]
        try app.put("x", in: .shared)
        for id in apps { try app.journal(of: id).change { $0.slot = .shared } }
        let migration = try app.migration(from: .shared, to: .own, .join)
        let (calendar, notes) = (migration.slots(of: apps[0]), migration.slots(of: apps[1]))
        _ = try notes.update(.own, by: .patient) { _ in .store(UserRecord().signingIn(app.account("z"))) }
        let steps = try migration.plan(for: .all)
        #expect(try migration.preview(steps).map(\.kind) == [.moved, .joined])
        #expect(steps.flatMap { $0.beginning(of: migration) }.map(\.kind) == [.moved, .joined])
        #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.moved, .joined])
        #expect(try app.users(in: .shared) == ["x"])
        #expect(try calendar.read(.own, by: .patient).record.accounts.map(\.uid) == ["x"])
        #expect(try notes.read(.own, by: .patient).record.accounts.map(\.uid) == ["z"])
        for id in apps { #expect(try app.journal(of: id).read() == GroupChoice()) }
    }
}
