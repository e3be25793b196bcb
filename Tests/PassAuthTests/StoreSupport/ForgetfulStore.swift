import SecretService
import SharedAuth

/// A store in memory that answers as one may whose provider forgets what it has acknowledged.
struct ForgetfulStore: RecordStore {
    private let memory = InMemoryRecordStore()

    var kind: RecordStoreKind { memory.kind }

    func isDurableOnAcknowledge(within deadline: Deadline) throws(RecordStoreError) -> Bool { false }

    func provider(within deadline: Deadline) throws(RecordStoreError) -> String? { "forgetful" }

    func read(_ key: RecordKey, within deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        try memory.read(key, within: deadline)
    }

    func update(
        _ key: RecordKey,
        within deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord { try memory.update(key, within: deadline, decide) }

    func takeTurn(_ name: String, for key: RecordKey, within deadline: Deadline) throws(RecordStoreError) -> any Turn {
        try memory.takeTurn(name, for: key, within: deadline)
    }

    func unlock(within deadline: Deadline) throws(RecordStoreError) { try memory.unlock(within: deadline) }

    func watch(
        _ key: RecordKey,
        within deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch { try memory.watch(key, within: deadline, handler) }
}
