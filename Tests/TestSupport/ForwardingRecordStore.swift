package import SecretService
package import SharedAuth

/// A store that hands each call to another one, but for those that it implements itself.
package protocol ForwardingRecordStore: RecordStore {
    /// The store that the calls go to.
    var base: InMemoryRecordStore { get }
}

extension ForwardingRecordStore {
    package var kind: RecordStoreKind { base.kind }

    package func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        try base.read(key, by: deadline)
    }

    package func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        try base.update(key, by: deadline, decide)
    }

    package func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        try base.acquire(name, for: key, by: deadline)
    }

    package func unlock(by deadline: Deadline) throws(RecordStoreError) { try base.unlock(by: deadline) }

    package func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try base.watch(key, by: deadline, handler)
    }
}
