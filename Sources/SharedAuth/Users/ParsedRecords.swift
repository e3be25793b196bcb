internal import Synchronization

/// The user records that were read last, so that a slot that has not changed need not be parsed again: parsing takes
/// longer than all else that a process does for a read.
final class ParsedRecords: Sendable {
    private struct Entry {
        let payload: [UInt8]
        let record: UserRecord
    }

    private let entries = Mutex<[RecordKey: Entry]>([:])

    /// The record that a payload found in this slot is.
    func record(of payload: [UInt8], in key: RecordKey) throws(UserRecord.Flaw) -> UserRecord {
        let known = entries.withLock { $0[key].flatMap { $0.payload == payload ? $0.record : nil } }
        if let known { return known }
        let record = try UserRecord(decoding: payload)
        remember(record, as: payload, in: key)
        return record
    }

    /// Remembers what a payload for this slot was made of.
    func remember(_ record: UserRecord, as payload: [UInt8], in key: RecordKey) {
        entries.withLock { $0[key] = Entry(payload: payload, record: record) }
    }

    /// Keeps nothing of a slot: it is empty.
    func forget(_ key: RecordKey) {
        entries.withLock { $0[key] = nil }
    }
}
