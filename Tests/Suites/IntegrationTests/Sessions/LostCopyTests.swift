import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests migrations on a store that may lose acknowledged writes, and the originals that they keep.
struct LostCopyTests {
    static let group = "group.example.lost"

    private let world: AppFixture
    private let store = FaultInjectingStore(isDurable: false, countsRuns: true)

    init() throws {
        world = try AppFixture()
    }

    private func app(_ appID: String = "com.example.Mail") throws -> TestApp {
        try TestApp(world, appID: appID) { [store] in $0.store = .custom(store) }
    }

    private func key(_ group: String?) throws -> RecordKey { try world.key(group) }

    /// Returns an app that has migrated its user to the group; the original is still stored.
    private func migrated() async throws -> TestApp {
        let app = try app()
        try await app.signIn("x")
        try await app.auth.migrateCurrentUser(toAccessGroup: Self.group)
        #expect(try app.stored(nil) == "x")
        #expect(try app.stored(Self.group) == "x")
        return app
    }

    @Test(
        "A copy that the daemon lost in a crash is restored by the next start",
        arguments: [StoredRecord.none, .empty]
    )
    func healed(left: StoredRecord) async throws {
        _ = try await migrated()
        store.base.put(left, under: try key(Self.group))
        store.restart()
        let next = try app()
        #expect(next.auth.currentUser?.uid == "x")
        #expect(next.auth.userAccessGroup == Self.group)
        #expect(try app("com.example.Calendar").stored(Self.group) == "x")
        #expect(next.announcements() == .both("x"))
    }

    @Test("A running app restores the lost copy at its next read, and announces nothing")
    func healedByLook() async throws {
        let app = try await migrated()
        _ = app.announcements()
        store.base.put(.none, under: try key(Self.group))
        store.restart()
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(try app.stored(Self.group) == "x")
        #expect(app.announcements().isEmpty)
    }

    @Test("Reading a slot's users or the store's status restores no lost copy")
    func readOnly() async throws {
        let app = try await migrated()
        store.base.put(.none, under: try key(Self.group))
        store.restart()
        #expect(try app.stored(Self.group) == nil)
        #expect(try await app.auth.storedUsers(inAccessGroup: Self.group).isEmpty)
        _ = try await app.auth.storeStatus()
        #expect(try store.base.read(key(Self.group), by: .patient).revision == nil)
    }

    @Test("A copy that is missing in the daemon that had stored it is a sign-out")
    func sameRun() async throws {
        _ = try await migrated()
        store.base.put(.none, under: try key(Self.group))
        #expect(try app().auth.currentUser == nil)
    }

    @Test("A sign-out by another app deletes the original, so no restart restores it")
    func signedOutByPeer() async throws {
        _ = try await migrated()
        let peer = try app("com.example.Calendar")
        try peer.auth.useUserAccessGroup(Self.group)
        try peer.auth.signOut()
        #expect(try peer.stored(Self.group) == nil)
        store.restart()
        let next = try app()
        #expect(next.auth.currentUser == nil)
        try next.auth.useUserAccessGroup(nil)
        #expect(next.auth.currentUser == nil)
    }

    @Test(
        "A user signed out while the copy is lost stays out, despite the original",
        arguments: [true, false]
    )
    func signedOutWhileLost(all: Bool) async throws {
        let app = try await migrated()
        store.base.put(.none, under: try key(Self.group))
        store.restart()
        if all { try await app.auth.signOutAll() } else { try app.auth.signOut() }
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(app.auth.currentUser == nil)
        #expect(try self.app().auth.currentUser == nil)
        #expect(try store.base.read(key(nil), by: .patient).revision == nil)
    }

    @Test("A restored copy keeps its original, as it may be lost again")
    func lostTwice() async throws {
        _ = try await migrated()
        for _ in 1...2 {
            store.base.put(.none, under: try key(Self.group))
            store.restart()
            #expect(try app().auth.currentUser?.uid == "x")
        }
    }

    @Test("An original that cannot be deleted stays noted, and the next load deletes it")
    func undeletableOriginal() async throws {
        _ = try await migrated()
        let peer = try app("com.example.Calendar")
        try peer.auth.useUserAccessGroup(Self.group)
        store.fail(.update, of: try key(nil))
        try peer.auth.signOut()
        #expect(peer.auth.currentUser == nil)
        #expect(try peer.stored(Self.group) == nil)
        store.mend()
        store.restart()
        let next = try app()
        #expect(next.auth.currentUser == nil)
        try next.auth.useUserAccessGroup(nil)
        #expect(next.auth.currentUser == nil)
        #expect(try store.base.read(key(nil), by: .patient).revision == nil)
        #expect(try store.base.read(key(Self.group), by: .patient).revision == nil)
    }

    @Test("A switch to an original whose user was signed out deletes it first")
    func switchToOriginal() async throws {
        let app = try await migrated()
        store.fail(.update, of: try key(nil))
        try app.auth.signOut()
        expectFailure(.keychainError) { try app.auth.useUserAccessGroup(nil) }
        #expect(app.auth.userAccessGroup == Self.group)
        store.mend()
        try app.auth.useUserAccessGroup(nil)
        #expect(app.auth.currentUser == nil)
        #expect(try app.stored(nil) == nil)
    }

    @Test("No start and no sign-out deletes a new user in the original's slot")
    func originalReplaced() async throws {
        _ = try await migrated()
        _ = try store.base.update(key(nil), by: .patient) { [world] _ in
            (try? UserRecord().signingIn(world.account("x", "2")).encoded()).map(RecordChange.write) ?? .keep
        }
        let next = try app()
        #expect(next.auth.currentUser?.uid == "x")
        #expect(try next.stored(nil) == "x")
        let peer = try app("com.example.Calendar")
        try peer.auth.useUserAccessGroup(Self.group)
        try peer.auth.signOut()
        #expect(try next.stored(nil) == "x")
    }

    @Test(
        "A copy names its original from its first write, so any sign-out finds it"
    )
    func namedAtOnce() async throws {
        let app = try app()
        try await app.signIn("x")
        let revision = try #require(try store.base.read(key(nil), by: .patient).revision)
        let scope = try key(nil).scopeName
        let originals = Mutex<[CopiedFrom]?>(nil)
        let target = try key(Self.group)
        store.after(.update, of: target) { [store] _ in
            guard case .whole(let record) = try? store.base.read(target, by: .patient) else { return }
            originals.withLock { $0 = try? UserRecord(decoding: record.payload).currentAccount?.remainingOriginals }
        }
        try await app.auth.migrateCurrentUser(toAccessGroup: Self.group)
        #expect(originals.withLock { $0?.map(\.record) } == [CopiedFrom(scope: scope, revision: revision)])
    }

    @Test("An original whose slot is in use again, or was left, is no longer noted")
    func usedAgain() async throws {
        let app = try await migrated()
        #expect(try app.auth.engine.journal.read().remainingOriginals.count == 1)
        try app.auth.useUserAccessGroup(nil)
        #expect(try app.auth.engine.journal.read().remainingOriginals.isEmpty)
    }
}
