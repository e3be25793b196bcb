import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuthRecords

@Suite("What a typed record makes of what is stored")
struct TypedRecordTests {
    private let store = AskedStore()

    private var record: TypedRecord<NumberCodec> {
        TypedRecord(
            RecordKey(scope: .project, project: "p", instance: "default", kind: "number"),
            in: store,
            NumberCodec()
        )
    }

    private func update(
        _ stored: StoredRecord,
        _ policy: DamagePolicy,
        _ change: TypedRecord<NumberCodec>.Change
    ) throws(NumberError) -> String {
        store.stored.withLock { $0 = stored }
        store.change.withLock { $0 = "not asked" }
        _ = try record.update(by: .patient, ifDamaged: policy) { _ in change }
        return store.change.withLock { $0 }
    }

    private static func whole(_ text: String) -> StoredRecord {
        .whole(Record(payload: Array(text.utf8), revision: Revision(counter: 7, nonce: 8)))
    }

    @Test("A record is read with its revision, and nothing is nil")
    func reading() throws {
        #expect(try record.read(by: .patient).content == nil)
        store.stored.withLock { $0 = Self.whole("42") }
        let found = try record.read(by: .patient)
        #expect(found.content == 42 && found.revision?.counter == 7 && !found.isDamaged)
    }

    @Test("Reading fails with what is wrong, in the owner's words")
    func flaws() {
        for (stored, error) in [
            (Self.whole("x"), NumberError.damaged("it is no number")), (.damaged("it is torn"), .damaged("it is torn")),
            (.newer("it is of 2"), .newer("it is of 2")), (.empty, .damaged("it is empty")),
        ] {
            store.stored.withLock { $0 = stored }
            #expect(throws: error) { try record.read(by: .patient) }
        }
    }

    @Test("A read takes as none what its policy says, and still fails on the rest")
    func readingDamage() throws {
        let deadline = Deadline.patient
        store.stored.withLock { $0 = .empty }
        let empty = try record.read(by: deadline, ifDamaged: .replaceEmpty)
        #expect(empty.isDamaged && empty.content == nil)
        store.stored.withLock { $0 = Self.whole("x") }
        #expect(throws: NumberError.damaged("it is no number")) {
            try record.read(by: deadline, ifDamaged: .replaceEmpty)
        }
        #expect(try record.read(by: deadline, ifDamaged: .setAside).isDamaged)
    }

    @Test("A codec can tell an empty record from one that is damaged otherwise")
    func emptiness() {
        guard case .damaged(let reason) = StoredRecord.empty else {
            Issue.record("An empty record is not damaged.")
            return
        }
        #expect(RecordFlaw.damaged(reason).isEmptiness)
        #expect(!RecordFlaw.damaged("it is torn").isEmptiness && !RecordFlaw.newer(reason).isEmptiness)
    }

    @Test("An update returns the value that was decided with the change")
    func values() throws {
        store.stored.withLock { $0 = Self.whole("42") }
        let value = try record.update(by: .patient) { (found) throws(NumberError) in
            ("was \(found.content ?? 0)", .store(1))
        }
        #expect(value == "was 42" && store.change.withLock { $0 } == "write 1")
        #expect(throws: NumberError.refused) {
            try record.update(by: .patient) { (_) throws(NumberError) in ("", .store(-1)) }
        }
    }

    @Test("A store that does not show what it holds is an error")
    func unseen() {
        store.isBlind.store(true, ordering: .relaxed)
        #expect(throws: NumberError.store(.failed)) { try update(Self.whole("42"), .fail, .store(1)) }
    }

    @Test("Of each policy, damage is left, replaced or set aside")
    func policies() throws {
        let unreadable = Self.whole("x")
        let torn = StoredRecord.damaged("it is torn")
        for stored in [unreadable, torn] {
            for policy in [DamagePolicy.fail, .replaceEmpty] {
                #expect(throws: NumberError.self) { try update(stored, policy, .store(1)) }
                #expect(store.change.withLock { $0 } == "keep")
            }
            #expect(try update(stored, .setAside, .store(1)) == "replaceDamaged 1")
            #expect(try update(stored, .setAside, .delete) == "removeDamaged")
            #expect(try update(stored, .setAside, .keep) == "keep")
        }
        #expect(try update(.empty, .replaceEmpty, .store(1)) == "replaceDamaged 1")
        #expect(try update(unreadable, .discard, .store(1)) == "write 1")
        #expect(try update(unreadable, .discard, .delete) == "delete")
        #expect(try update(torn, .discard, .delete) == "removeDamaged")
    }

    @Test("What is whole is written and deleted, and of nothing nothing is deleted")
    func changes() throws {
        #expect(try update(Self.whole("42"), .setAside, .store(1)) == "write 1")
        #expect(try update(Self.whole("42"), .setAside, .delete) == "delete")
        #expect(try update(.none, .setAside, .delete) == "keep")
    }

    @Test("A newer record is never touched, whatever the policy")
    func newer() {
        for policy in [DamagePolicy.fail, .replaceEmpty, .setAside, .discard] {
            #expect(throws: NumberError.newer("it is of 2")) { try update(.newer("it is of 2"), policy, .delete) }
            #expect(store.change.withLock { $0 } == "keep")
        }
    }

    @Test("A decision that throws, content that cannot be written and a store that fails change nothing")
    func failures() {
        store.stored.withLock { $0 = Self.whole("42") }
        #expect(throws: NumberError.refused) {
            try record.update(by: .patient) { (_) throws(NumberError) in throw .refused }
        }
        #expect(store.change.withLock { $0 } == "keep")
        #expect(throws: NumberError.refused) { try update(Self.whole("42"), .fail, .store(-1)) }
        #expect(store.change.withLock { $0 } == "keep")
        store.isLocked.store(true, ordering: .relaxed)
        #expect(throws: NumberError.store(.locked)) { try update(Self.whole("42"), .fail, .store(1)) }
        #expect(throws: NumberError.store(.locked)) { try record.read(by: .patient) }
    }
}

private enum NumberError: Error, Equatable {
    case store(RecordStoreError.Code)
    case damaged(String)
    case newer(String)
    case refused
}

/// A number in digits; a negative one cannot be written.
private struct NumberCodec: RecordCodec {
    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> Int {
        guard let number = Int(String(decoding: payload, as: UTF8.self)) else { throw .damaged("it is no number") }
        return number
    }

    func encode(_ number: Int, over found: StoredRecord) throws(NumberError) -> [UInt8] {
        guard number >= 0 else { throw .refused }
        return Array("\(number)".utf8)
    }

    func failure(of error: RecordStoreError) -> NumberError { .store(error.code) }

    func failure(of flaw: RecordFlaw) -> NumberError {
        switch flaw {
        case .damaged(let reason): .damaged(reason)
        case .newer(let reason): .newer(reason)
        }
    }
}

/// A store of one record that notes the change it is asked for, and keeps nothing.
private final class AskedStore: RecordStore {
    let stored = Mutex(StoredRecord.none)
    let change = Mutex("not asked")
    let isLocked = Atomic(false)
    /// Whether updates succeed without a decision.
    let isBlind = Atomic(false)

    var kind: RecordStoreKind { .inMemory }

    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        if isLocked.load(ordering: .relaxed) { throw RecordStoreError(.locked, "The store is locked.") }
        return stored.withLock { $0 }
    }

    func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let found = try read(key, by: deadline)
        if isBlind.load(ordering: .relaxed) { return found }
        let decided = decide(found)
        let text =
            switch decided {
            case .keep: "keep"
            case .write(let payload): "write \(String(decoding: payload, as: UTF8.self))"
            case .replaceDamaged(let payload): "replaceDamaged \(String(decoding: payload, as: UTF8.self))"
            case .delete: "delete"
            case .removeDamaged: "removeDamaged"
            }
        change.withLock { $0 = text }
        return .none
    }

    func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> any RecordLock {
        throw RecordStoreError(.failed, "No turns are taken here.")
    }

    func unlock(by deadline: Deadline) throws(RecordStoreError) {}

    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        throw RecordStoreError(.failed, "Nothing is watched here.")
    }
}
