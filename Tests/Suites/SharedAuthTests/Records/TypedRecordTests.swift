import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuthRecords

@Suite("Reads and updates of a typed record, by stored content and policy")
struct TypedRecordTests {
    private let store = FaultInjectingStore()
    private let key = RecordKey(scope: .project, project: "p", instance: "default", kind: "number")

    private var record: TypedRecord<NumberCodec> {
        TypedRecord(key, in: store, NumberCodec())
    }

    private func update(
        _ stored: StoredRecord,
        _ policy: DamagePolicy,
        _ change: TypedRecord<NumberCodec>.Change
    ) throws(NumberError) -> String {
        store.base.put(stored, under: key)
        store.takeChange()
        try record.update(by: .patient, ifDamaged: policy) { _ in ((), change) }
        return asked()
    }

    /// Returns the change that the store received.
    private func asked() -> String {
        switch store.takeChange() {
        case nil: "not asked"
        case .keep: "keep"
        case .write(let payload): "write \(String(decoding: payload, as: UTF8.self))"
        case .replaceDamaged(let payload): "replaceDamaged \(String(decoding: payload, as: UTF8.self))"
        case .delete: "delete"
        case .removeDamaged: "removeDamaged"
        }
    }

    private static func whole(_ text: String) -> StoredRecord {
        .whole(Record(payload: Array(text.utf8), revision: Revision(counter: 7, nonce: 8)))
    }

    @Test("A record is read with its revision, and a missing one as nil")
    func reading() throws {
        #expect(try record.read(by: .patient).content == nil)
        store.base.put(Self.whole("42"), under: key)
        let found = try record.read(by: .patient)
        #expect(found.content == 42 && found.revision?.counter == 7 && !found.isDamaged)
    }

    @Test("Reading throws the owner's error for what is wrong")
    func flaws() {
        for (stored, error) in [
            (Self.whole("x"), NumberError.damaged("it is no number")), (.damaged("it is torn"), .damaged("it is torn")),
            (.newer("it is of 2"), .newer("it is of 2")), (.empty, .damaged("it is empty")),
        ] {
            store.base.put(stored, under: key)
            #expect(throws: error) { try record.read(by: .patient) }
        }
    }

    @Test("A read treats as missing what its policy says, and throws for the rest")
    func readingDamage() throws {
        let deadline = Deadline.patient
        store.base.put(.empty, under: key)
        let empty = try record.read(by: deadline, ifDamaged: .replaceEmpty)
        #expect(empty.isDamaged && empty.content == nil)
        store.base.put(Self.whole("x"), under: key)
        #expect(throws: NumberError.damaged("it is no number")) {
            try record.read(by: deadline, ifDamaged: .replaceEmpty)
        }
        #expect(try record.read(by: deadline, ifDamaged: .setAside).isDamaged)
    }

    @Test("A store's text for damage never makes a record empty")
    func wordsOfEmptiness() {
        let reason = RecordFlaw.empty.reason
        func flaw(of stored: StoredRecord) -> RecordFlaw? {
            do throws(RecordFlaw) {
                _ = try stored.content { payload throws(RecordFlaw) in payload }
                return nil
            } catch {
                return error
            }
        }
        #expect(flaw(of: .empty) == .empty)
        #expect(flaw(of: .damaged(reason)) == .damaged(reason) && flaw(of: .newer(reason)) == .newer(reason))
        #expect(StoredRecord.damaged(reason).refusal(of: .write([1]), of: key)?.code == .damaged)
        #expect(StoredRecord.empty.refusal(of: .write([1]), of: key) == nil)
    }

    @Test("An update returns the value that was decided with the change")
    func values() throws {
        store.base.put(Self.whole("42"), under: key)
        let value = try record.update(by: .patient) { (found) throws(NumberError) in
            ("was \(found.content ?? 0)", .store(1))
        }
        #expect(value == "was 42" && asked() == "write 1")
        #expect(throws: NumberError.refused) {
            try record.update(by: .patient) { (_) throws(NumberError) in ("", .store(-1)) }
        }
    }

    @Test("A store that does not show what it holds is an error")
    func unseen() {
        store.answer(.update, with: .none)
        #expect(throws: NumberError.store(.failed)) { try update(Self.whole("42"), .fail, .store(1)) }
    }

    @Test("Depending on the policy, damage is left, replaced or set aside")
    func policies() throws {
        let unreadable = Self.whole("x")
        let torn = StoredRecord.damaged("it is torn")
        for stored in [unreadable, torn] {
            for policy in [DamagePolicy.fail, .replaceEmpty] {
                #expect(throws: NumberError.self) { try update(stored, policy, .store(1)) }
                #expect(asked() == "keep")
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

    @Test("An update that leaves damage returns that it is damaged", arguments: [DamagePolicy.setAside, .discard])
    func leftDamage(policy: DamagePolicy) throws {
        for stored in [Self.whole("x"), .damaged("it is torn"), .empty] {
            store.base.put(stored, under: key)
            let found = try record.update(by: .patient, ifDamaged: policy) { (_) throws(NumberError) in .keep }
            #expect(found.isDamaged && found.content == nil && found.revision == nil)
        }
        store.base.put(.empty, under: key)
        let found = try record.update(by: .patient, ifDamaged: .replaceEmpty) { (_) throws(NumberError) in .keep }
        #expect(found.isDamaged && found.content == nil)
    }

    @Test("A whole record is written and deleted; deleting a missing one changes nothing")
    func changes() throws {
        #expect(try update(Self.whole("42"), .setAside, .store(1)) == "write 1")
        #expect(try update(Self.whole("42"), .setAside, .delete) == "delete")
        #expect(try update(.none, .setAside, .delete) == "keep")
    }

    @Test("A newer record is never touched, whatever the policy")
    func newer() {
        for policy in [DamagePolicy.fail, .replaceEmpty, .setAside, .discard] {
            #expect(throws: NumberError.newer("it is of 2")) { try update(.newer("it is of 2"), policy, .delete) }
            #expect(asked() == "keep")
        }
    }

    @Test("A decision that throws, invalid content and a store that fails change nothing")
    func failures() {
        store.base.put(Self.whole("42"), under: key)
        #expect(throws: NumberError.refused) {
            try record.update(by: .patient) { (_) throws(NumberError) in throw .refused }
        }
        #expect(asked() == "keep")
        #expect(throws: NumberError.refused) { try update(Self.whole("42"), .fail, .store(-1)) }
        #expect(asked() == "keep")
        store.fail(as: .locked)
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
        case .empty, .damaged: .damaged(flaw.reason)
        case .newer(let reason): .newer(reason)
        }
    }
}
