import Foundation
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests lists of all records of a kind in a real keyring.
struct ListingTests {
    static let group = "group.example.listed"

    private func store(
        in world: AppFixture,
        _ interceptor: CallInterceptor? = nil,
        waits: WaitCounter? = nil,
        collection: RecordCollection = .standard
    ) -> SecretServiceRecordStore {
        var configuration = SecretService.Configuration(busAddress: .address(world.keyring.busAddress))
        configuration.interceptor = interceptor
        configuration.waits = waits
        return SecretServiceRecordStore(SecretService(configuration), collection: collection)
    }

    private func list(_ store: SecretServiceRecordStore, _ world: AppFixture) throws -> [ListedRecord] {
        try store.listRecords(
            ofProject: world.project,
            instance: AuthApp.defaultName,
            kind: "user",
            by: .after(.seconds(20))
        )
    }

    @Test("All apps' slots, and nothing else, are listed completely, with size and time")
    func everything() throws {
        let world = try AppFixture()
        let since = Date().addingTimeInterval(-2)
        let mine = try world.key(nil)
        let keys = [mine, try world.key(nil, appID: "com.example.Calendar"), try world.key(Self.group)]
        let store = store(in: world)
        #expect(try list(store, world).isEmpty)
        for key in keys { try store.change(key, .write(Array("\(key)".utf8))) }
        // Records of other kinds, instances and projects, and an item of another program.
        let others = [
            RecordKey(scope: mine.scope, project: mine.project, instance: mine.instance, kind: "user.other"),
            RecordKey(scope: mine.scope, project: mine.project, instance: "other", kind: mine.kind),
            RecordKey(scope: mine.scope, project: mine.project + "x", instance: mine.instance, kind: mine.kind),
        ]
        for key in others { try store.change(key, .write([1])) }
        try world.plant([1], in: mine, adding: ["more": "1"])

        let listed = try list(self.store(in: world), world)
        #expect(Set(listed.map(\.key)) == Set(keys))
        for record in listed {
            let key = try #require(record.key)
            guard case .whole(let found) = record.stored else { Issue.record("\(record.stored)"); continue }
            #expect(try found == store.record(key))
            #expect(record.size == Envelope.seal(found, for: key).utf8.count)
            #expect(try #require(record.modified) >= since)
            #expect(record.duplicates == 0 && record.setAside.isEmpty)
        }
    }

    @Test("Several items in one place are one record: the newest intact one, with a count")
    func duplicates() throws {
        let world = try AppFixture()
        let key = try world.key(Self.group)
        for (text, counter) in [("old", 3), ("new", 12)] as [(String, UInt64)] {
            try world.plant(Damage.sealed(Array(text.utf8), counter: counter, for: key), in: key)
        }
        try world.plant(Array("junk".utf8), in: key)
        let before = try world.contents()
        let record = try #require(try list(store(in: world), world).first)
        #expect(record.stored.revision?.counter == 12)
        #expect(record.duplicates == 2)
        #expect(try record.size == world.items().reduce(0) { $0 + $1.secret.count })
        #expect(try world.contents() == before)
    }

    @Test("Damaged, newer and set-aside records are listed and hide no other")
    func damaged() throws {
        let world = try AppFixture()
        let keys = try ["damaged", "newer", "aside", "whole"].map { try world.key("group.example.\($0)") }
        let store = store(in: world)
        try world.plant(Array("junk".utf8), in: keys[0])
        try world.plant(Array("SharedAuth9.whatever".utf8), in: keys[1])
        try world.plant(Array("junk".utf8), in: keys[2])
        try store.change(keys[2], .removeDamaged)
        try world.plant(Array("junk".utf8), in: keys[3])
        try store.change(keys[3], .replaceDamaged([1]))

        let records = try list(self.store(in: world), world)
        let listed = Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0) })
        #expect(listed.count == 4)
        guard case .damaged = listed[keys[0]]?.stored, case .newer = listed[keys[1]]?.stored,
            case .some(.none) = listed[keys[2]]?.stored, case .whole(let record) = listed[keys[3]]?.stored
        else {
            Issue.record("\(records)")
            return
        }
        #expect(record.payload == [1])
        #expect(keys.map { listed[$0]?.setAside.count } == [0, 0, 1, 1])
    }

    @Test("Listing hundreds of slots takes few more waits than listing one")
    func manySlots() throws {
        // Changes by other tests in the same keyring could cause another search.
        let world = try AppFixture(PrivateKeyring())
        let writer = store(in: world)
        let one = WaitCounter()
        try writer.change(world.key(nil), .write([0]))
        #expect(try list(store(in: world, waits: one), world).count == 1)
        let waits = one.takeAll()
        #expect(waits.count <= 6, "\(waits)")
        for number in 1..<300 { try writer.change(world.key("group.example.n\(number)"), .write([1])) }
        let many = WaitCounter()
        #expect(try list(store(in: world, waits: many), world).count == 300)
        // Secrets are requested 64 at a time. The signal of the last change may come late, and cause another search.
        let more = many.takeAll().count
        #expect((4...5).contains(more - waits.count))
    }

    @Test("Listing a locked keyring throws locked, also after a restart, without a prompt")
    func locked() throws {
        let world = try AppFixture(PrivateKeyring())
        let calls = Recorder<String>()
        let store = store(in: world, .recording(calls))
        try store.change(world.key(nil), .write([1]))
        #expect(try list(store, world).count == 1)
        try world.keyring.lock()
        expectFailure(\RecordStoreError.code, .locked) { try list(store, world) }
        expectFailure(\RecordStoreError.code, .locked) { try list(self.store(in: world), world) }
        try world.keyring.restartDaemon(unlocked: false)
        expectFailure(\RecordStoreError.code, .locked) { try list(store, world) }
        expectFailure(\RecordStoreError.code, .locked) { try list(self.store(in: world), world) }
        #expect(Set(calls.events).isDisjoint(with: ["Prompt", "CreateCollection"]))
    }

    @Test("A keyring that is locked while it is being listed throws locked", arguments: ["Get", "GetSecrets"])
    func lockedMeanwhile(_ member: String) throws {
        let world = try AppFixture(PrivateKeyring())
        let keyring = world.keyring
        let writer = store(in: world)
        for group in ["one", "two"] { try writer.change(world.key("group.example.\(group)"), .write([1])) }
        let locks = Once()
        let store = store(
            in: world,
            CallInterceptor { call, _ in
                // The items are found, but not read yet.
                guard call.member == member, call.path.split(separator: "/").count != 5 else { return nil }
                locks.perform { try keyring.lock() }
                return nil
            }
        )
        expectFailure(\RecordStoreError.code, .locked) { try list(store, world) }
        #expect(locks.isDone)
    }

    @Test("A locked item in any collection makes the listing throw locked")
    func lockedCollection() throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office"]))
        let office = store(in: world, collection: .named("Office"))
        let standard = store(in: world, .withPromptToUnlock())
        try office.change(world.key(Self.group), .write([1]))
        #expect(try list(standard, world).count == 1)
        let service = world.keyring.makeService()
        try service.lock([service.collection(at: PrivateKeyring.collection("extra0"))])
        expectFailure(\RecordStoreError.code, .locked) { try list(standard, world) }
        // Although nothing is found, the locked collection may contain records.
        let empty = try AppFixture(world.keyring)
        expectFailure(\RecordStoreError.code, .locked) {
            try list(store(in: empty, .withPromptToUnlock(), collection: .named("Office")), empty)
        }
        #expect(try list(standard, empty).isEmpty)
    }

    @Test("A locked default collection makes the listing throw locked before it searches")
    func lockedDefault() throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office"]))
        let service = world.keyring.makeService()
        try service.lock([service.defaultCollection()])
        let calls = Recorder<String>()
        let store = store(in: world, .recording(calls), collection: .named("Office"))
        expectFailure(\RecordStoreError.code, .locked) { try list(store, world) }
        #expect(!calls.events.contains("SearchItems"))
    }

    @Test("Items deleted or replaced during a listing do not stop it or go missing")
    func vanishing() throws {
        let world = try AppFixture()
        let writer = store(in: world)
        for group in ["one", "two"] { try writer.change(world.key("group.example.\(group)"), .write([1])) }
        let deletes = Once()
        let store = store(
            in: world,
            CallInterceptor { call, _ in
                guard call.member == "GetSecrets" else { return nil }
                deletes.perform { try writer.change(world.key("group.example.one"), .delete) }
                return nil
            }
        )
        #expect(try list(store, world).map(\.key) == [world.key("group.example.two")])
        #expect(deletes.isDone)
    }

    @Test("A store that cannot list says so; without a collection, listing is unavailable")
    func impossible() throws {
        let world = try AppFixture(PrivateKeyring(state: .noDefaultCollection))
        expectFailure(\RecordStoreError.code, .unavailable) { try list(store(in: world), world) }
        let error = expectFailure(\RecordStoreError.code, .failed) {
            try PlainStore()
                .listRecords(ofProject: "p", instance: "default", kind: "user", by: .patient)
        }
        #expect(error?.remedy != nil)
    }
}

/// Runs an action only the first time.
private final class Once: Sendable {
    private let state = Mutex(false)

    var isDone: Bool { state.withLock { $0 } }

    func perform(_ work: () throws -> Void) {
        let isFirst = state.withLock { state in
            defer { state = true }
            return !state
        }
        if isFirst { #expect(throws: Never.self) { try work() } }
    }
}
