import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests slots with more than one item for one record, and items that only resemble a record.
struct DuplicateItemTests {
    static let group = "group.example.duplicates"

    private func uid(_ key: RecordKey, in store: SecretServiceRecordStore) throws -> String? {
        try store.record(key).flatMap { try UserRecord(decoding: $0.payload).current?.uid }
    }

    private var deadline: Deadline { .after(.seconds(20)) }

    @Test("The newest intact record of several items counts; reading apps repair nothing")
    func newest() async throws {
        let world = try AppFixture()
        let key = try world.key(Self.group)
        for (uid, counter) in [("old", 3), ("new", 12), ("older", 2)] as [(String, UInt64)] {
            try world.plant(Damage.sealed(try Damage.whole(uid), counter: counter, for: key), in: key)
        }
        try world.plant(Array("junk".utf8), in: key)
        let before = try world.items()
        let app = try TestApp(world, observesOtherProcesses: false)
        #expect(try app.stored(Self.group) == "new")
        #expect(try await app.auth.storedUsers(inAccessGroup: Self.group).map(\.uid) == ["new"])
        #expect(try Set(world.items()) == Set(before))
    }

    @Test("Of two records with equal counters, every process uses and keeps the same one")
    func sameCounter() throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let records = try [(1, "one"), (2, "two")].map { nonce, uid in
            Array(
                Envelope.seal(
                    Record(payload: try Damage.whole(uid), revision: Revision(counter: 5, nonce: nonce)),
                    for: key
                ).utf8
            )
        }
        for secret in records.reversed() { try world.plant(secret, in: key) }
        let store = world.keyring.makeStore()
        #expect(try uid(key, in: store) == "two")
        try store.repairDuplicates(of: key, by: deadline)
        #expect(try world.items().map(\.secret) == [records[1]])
    }

    @Test("Several items without an intact record are damage, and a sign-in sets them aside")
    func allDamaged() async throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let pieces: [[UInt8]] = [[0xFF], [], Array("text".utf8)]
        for secret in pieces { try world.plant(secret, in: key) }
        let app = try TestApp(world)
        guard case .damaged = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        #expect(try world.items(in: key).count == 3)
        try await app.signIn("x")
        #expect(try world.items(in: key).count == 1)
        #expect(try Set(world.items().filter(\.isSetAside).map(\.secret)) == [pieces[0], pieces[2]])
        #expect(try TestApp(world, observesOtherProcesses: false).auth.currentUser?.uid == "x")
    }

    /// Stores a record and, next to it, an item that cannot be decoded.
    private func plantTwo(in key: RecordKey, _ world: AppFixture) throws -> (junk: [UInt8], new: [UInt8]) {
        let (junk, new) = (Array("junk".utf8), Damage.sealed(try Damage.whole("new"), counter: 2, for: key))
        for secret in [new, junk] { try world.plant(secret, in: key) }
        return (junk, new)
    }

    @Test("If setting aside fails, the newest record counts, and the next process repairs")
    func cannotSetAside() throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let (junk, new) = try plantTwo(in: key, world)
        let fault = Fault()
        fault.fail("CreateItem")
        let failing = world.keyring.makeStore(interceptor: fault.interceptor)
        #expect(try uid(key, in: failing) == "new")
        #expect(throws: RecordStoreError.self) { try failing.repairDuplicates(of: key, by: deadline) }
        #expect(fault.remaining == 0)
        #expect(try uid(key, in: failing) == "new")
        #expect(try Set(world.items(in: key).map(\.secret)) == [junk, new])
        let next = world.keyring.makeStore()
        #expect(try uid(key, in: next) == "new")
        try next.repairDuplicates(of: key, by: deadline)
        #expect(try world.items(in: key).map(\.secret) == [new])
    }

    @Test(
        "If the original cannot be deleted, one attempt is made and no extra copy stays",
        arguments: [true, false]
    )
    func cannotDelete(isKnown: Bool) throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let (junk, new) = try plantTwo(in: key, world)
        let before = try world.items()
        let undeletable = try Undeletable(key, in: world, isKnown: isKnown)
        let store = world.keyring.makeStore(interceptor: undeletable.interceptor)
        #expect(try uid(key, in: store) == "new")
        #expect(throws: RecordStoreError.self) { try store.repairDuplicates(of: key, by: deadline) }
        for _ in 1...3 {
            #expect(try uid(key, in: store) == "new")
            try store.repairDuplicates(of: key, by: deadline)
        }
        #expect(try Set(world.items().filter { !$0.isSetAside }) == Set(before))
        #expect(try world.items().filter(\.isSetAside).count == (isKnown ? 0 : 1))
        #expect(undeletable.copies == 1)

        // A new item leads to another attempt.
        try world.plant([], in: key)
        #expect(try uid(key, in: store) == "new")
        #expect(throws: RecordStoreError.self) { try store.repairDuplicates(of: key, by: deadline) }
        #expect(undeletable.copies == 2)

        // A store that can delete the item repairs the slot.
        let next = world.keyring.makeStore()
        #expect(try uid(key, in: next) == "new")
        try next.repairDuplicates(of: key, by: deadline)
        #expect(try world.items(in: key).map(\.secret) == [new])
        #expect(try Set(world.items().filter(\.isSetAside).map(\.secret)) == [junk])
    }

    /// The content and the place of an item that cannot be removed.
    enum Leftover: CaseIterable { case olderCopy, olderCopyElsewhere, junk, junkElsewhere }

    @Test(
        "An item that cannot be removed blocks no write or sign-out and restores no user",
        arguments: Leftover.allCases,
        [true, false]
    )
    func irremovable(leftover: Leftover, isKnown: Bool) async throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let isJunk = leftover == .junk || leftover == .junkElsewhere
        let secret = isJunk ? Array("junk".utf8) : Damage.sealed(try Damage.whole("old"), counter: 1, for: key)
        let isElsewhere = leftover == .olderCopyElsewhere || leftover == .junkElsewhere
        try world.plant(secret, in: key, elsewhere: isElsewhere)
        let undeletable = try Undeletable(key, in: world, isKnown: isKnown)
        try world.plant(Damage.sealed(try Damage.whole("new"), counter: 2, for: key), in: key)
        let app = try TestApp(world, interceptor: undeletable.interceptor)
        let user = try #require(app.auth.currentUser)
        #expect(user.uid == "new")
        for number in 1...3 {
            #expect(try await user.getIDToken(forcingRefresh: true) == "new/id/refreshed-\(number)")
            #expect(try uid(key, in: world.keyring.makeStore()) == "new")
        }
        #expect(undeletable.attempts <= 2)
        try app.auth.signOut()
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(app.auth.currentUser == nil)
        #expect(try world.keyring.makeStore().record(key) == nil)
        // A process that can remove it does.
        let next = try TestApp(world)
        #expect(next.auth.currentUser == nil)
        #expect(try world.items(in: key).isEmpty)
    }

    /// Stores a record that a process knows, and then an older copy, which it does not know.
    private func plantCopy(beside key: RecordKey, _ world: AppFixture) throws -> SecretServiceRecordStore {
        try world.plant(Damage.sealed(try Damage.whole("new"), counter: 2, for: key), in: key)
        let peer = world.keyring.makeStore()
        #expect(try uid(key, in: peer) == "new")
        try world.plant(Damage.sealed(try Damage.whole("old"), counter: 1, for: key), in: key)
        return peer
    }

    @Test("A sign-out counts for a peer that knows the item, even if it cannot be deleted", arguments: [true, false])
    func irremovableRecord(isKnown: Bool) throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let peer = try plantCopy(beside: key, world)
        let undeletable = try Undeletable(key, in: world, isKnown: isKnown)
        try world.keyring.makeStore(interceptor: undeletable.interceptor).change(key, .delete)
        #expect(try uid(key, in: peer) == nil)
        #expect(try world.keyring.makeStore().record(key) == nil)
        // A process that can remove everything does.
        let next = world.keyring.makeStore()
        #expect(try next.record(key) == nil)
        try next.repairDuplicates(of: key, by: deadline)
        #expect(try world.items(in: key).isEmpty)
    }

    @Test("A sign-out changes nothing if the record can be neither deleted nor overwritten")
    func unchangeableRecord() throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let peer = try plantCopy(beside: key, world)
        let before = try world.items()
        let undeletable = try Undeletable(key, in: world, isKnown: true)
        let store = world.keyring.makeStore(
            interceptor: CallInterceptor { call, _ in
                call.member == "SetSecret"
                    ? SecretServiceError(code: .denied, message: "The test refuses.")
                    : undeletable.refusal(of: call)
            }
        )
        #expect(throws: RecordStoreError.self) { try store.change(key, .delete) }
        for store in [peer, store, world.keyring.makeStore()] { #expect(try uid(key, in: store) == "new") }
        #expect(try Set(world.items()) == Set(before))
    }

    @Test("A sign-in counts after a sign-out that left an older copy, on a clock behind")
    func signInOverMark() async throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let future = UInt64(Date().timeIntervalSince1970 * 1000) + 3_600_000
        try world.plant(Damage.sealed(try Damage.whole("old"), counter: future, for: key), in: key)
        let undeletable = try Undeletable(key, in: world, isKnown: true)
        try world.plant(Damage.sealed(try Damage.whole("new"), counter: future + 1, for: key), in: key)
        let app = try TestApp(world, interceptor: undeletable.interceptor)
        #expect(app.auth.currentUser?.uid == "new")
        try app.auth.signOut()
        try await app.signIn("y")
        #expect(app.auth.engine.rereadSlot() == false)
        #expect(app.auth.currentUser?.uid == "y")
        #expect(try TestApp(world).auth.currentUser?.uid == "y")
        #expect(try world.items(in: key).count == 1)
    }

    @Test("A copy that cannot be read back is removed, and its original is kept")
    func unreadableCopy() throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        _ = try plantTwo(in: key, world)
        let before = try world.items()
        let fault = Fault()
        let store = world.keyring.makeStore(interceptor: fault.interceptor)
        #expect(try uid(key, in: store) == "new")
        fault.fail("GetSecret")
        #expect(throws: RecordStoreError.self) { try store.repairDuplicates(of: key, by: deadline) }
        #expect(fault.remaining == 0)
        #expect(try Set(world.items()) == Set(before))
    }

    @Test("If it is unknown whether the original was deleted, its copy stays")
    func unansweredDelete() throws {
        let world = try AppFixture()
        let key = try world.key(nil)
        let (junk, new) = try plantTwo(in: key, world)
        let unanswered = CallInterceptor { call, proceed in
            guard call.member == "Delete" else { return nil }
            _ = proceed()
            return SecretServiceError(code: .timedOut, message: "The test drops it.", outcomeIsUnknown: true)
        }
        let store = world.keyring.makeStore(interceptor: unanswered)
        #expect(try uid(key, in: store) == "new")
        #expect(throws: RecordStoreError.self) { try store.repairDuplicates(of: key, by: deadline) }
        #expect(try world.items(in: key).map(\.secret) == [new])
        #expect(try world.items().filter(\.isSetAside).map(\.secret) == [junk])
    }

    @Test("An item with more attributes than ours belongs to others, whatever it contains")
    func superset() async throws {
        let world = try AppFixture()
        let key = try world.key(Self.group)
        let planted = Damage.sealed(try Damage.whole("mallory"), counter: 99, for: key)
        try world.plant(planted, in: key, adding: ["more": "1"])
        let before = try world.contents()

        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.auth.currentUser == nil)
        #expect(try app.stored(Self.group) == nil)
        guard case .signedOut = app.auth.state else { Issue.record("\(app.auth.state)"); return }
        #expect(try world.contents().items == before.items)
    }

    @Test(
        "An item with more attributes than ours changes no read, refresh or sign-out"
    )
    func supersetBeside() async throws {
        let world = try AppFixture()
        let key = try world.key(Self.group)
        let app = try await TestApp.signedIn("x", in: Self.group, world)
        let user = try #require(app.auth.currentUser)
        let planted = Damage.sealed(try Damage.whole("mallory"), counter: 99, for: key)
        for number in 1...8 { try world.plant(planted, in: key, adding: ["more": "\(number)"]) }

        let again = try TestApp(world)
        #expect(again.auth.currentUser?.uid == "x")
        _ = try await user.getIDToken(forcingRefresh: true)
        // Whichever item the daemon replaced, no older copy is left for peers to read.
        #expect(try world.items(in: key).filter { $0.attributes["more"] == nil }.count == 1)
        #expect(try again.auth.getStoredUser(forAccessGroup: Self.group)?.refreshToken == "x/refresh/refreshed-1")
        let third = try TestApp(world)
        #expect(third.auth.currentUser?.refreshToken == "x/refresh/refreshed-1")
        try await third.signIn("y")
        #expect(try TestApp(world).auth.currentUser?.uid == "y")
        try third.auth.signOut()
        #expect(try app.stored(Self.group) == nil)
        #expect(try TestApp(world).auth.currentUser == nil)
    }
}

/// Makes items undeletable, as if the user did not confirm the deletion.
private struct Undeletable: Sendable {
    private let calls = Recorder<BusCall>()
    private let contents: [SecretItem: Secret]
    private let isKnown: Bool

    /// Makes all items stored for the key undeletable, as long as they have their present content. If `isKnown` is
    /// true, the error says that the deletion did not happen.
    init(_ key: RecordKey, in world: AppFixture, isKnown: Bool) throws {
        self.isKnown = isKnown
        let service = world.keyring.makeService()
        contents = try service.secrets(of: service.items(matching: key.queryAttributes).unlocked)
    }

    /// The number of attempts to delete one of the items.
    var attempts: Int {
        calls.events.count { call in call.member == "Delete" && contents.keys.contains { $0.path == call.path } }
    }

    /// The number of items created.
    var copies: Int { calls.events.count { $0.member == "CreateItem" } }

    var interceptor: CallInterceptor {
        CallInterceptor { call, _ in refusal(of: call) }
    }

    /// Records a call; returns an error if it deletes one of the items.
    func refusal(of call: BusCall) -> SecretServiceError? {
        calls.record(call)
        guard call.member == "Delete", let item = contents.first(where: { $0.key.path == call.path }),
            (try? item.key.secret()) == item.value
        else { return nil }
        return isKnown
            ? SecretServiceError(code: .dismissed, message: "The test declines.")
            : SecretServiceError(code: .timedOut, message: "The test says nothing.", outcomeIsUnknown: true)
    }
}
