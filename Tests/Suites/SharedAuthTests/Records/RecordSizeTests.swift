import EncryptedFiles
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// The limit of a record's size.
struct RecordSizeTests {
    @Test("Growth beyond the limit is refused without effect; a longer record may shrink")
    func limit() throws {
        let store = InMemoryRecordStore()
        try store.put("x", .mail)
        let long = [UInt8](repeating: 1, count: Record.largestPayload + 10)
        func write(_ count: Int) -> RecordStoreError? {
            failure { try store.update(.mail, by: .patient) { _ in .write(Array(long.prefix(count))) } }
        }
        let error = try #require(write(Record.largestPayload + 1))
        #expect(error.code == .failed && error.remedy != nil && !error.outcomeIsUnknown)
        #expect(error.message.contains("\(Record.largestPayload + 1)"))
        #expect(try store.text(.mail) == "x")
        #expect(write(Record.largestPayload) == nil)
        // Another version may have left such a record.
        store.put(.whole(Record(payload: long, revision: Revision(counter: 1, nonce: 1))), under: .mail)
        guard case .whole(let record) = try store.read(.mail, by: .patient) else {
            Issue.record("it cannot be read")
            return
        }
        #expect(record.payload == long)
        #expect(write(long.count - 1) == nil)
        #expect(write(long.count) != nil)
    }

    @Test("The limit holds for files too, and a caller can set a lower one")
    func files() throws {
        let place = try FilePlace()
        let store = place.store()
        let long = [UInt8](repeating: 1, count: Record.largestPayload + 1)
        #expect(failure { try store.update(.mail, by: .patient) { _ in .write(long) } }?.code == .failed)
        #expect(try store.text(.mail) == nil)
        let stored = StoredRecord.whole(Record(payload: [1, 2], revision: Revision(counter: 1, nonce: 1)))
        #expect(stored.refusal(toHold: [1, 2, 3], of: .mail, atMost: 1) != nil)
        #expect(stored.refusal(toHold: [1, 2], of: .mail, atMost: 1) == nil)
        #expect(StoredRecord.none.refusal(toHold: [1, 2], of: .mail, atMost: 1) != nil)
    }
}
