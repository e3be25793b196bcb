public import SecretService

extension RecordStore {
    /// The kind alone: a store that nobody else provides and that has no lock.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        RecordStoreStatus(kind: kind)
    }

    /// The provider that the status names.
    public func provider(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try status(by: deadline).provider
    }

    /// Nil: a store that no other program keeps.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? { nil }

    /// True: a store that writes before it answers.
    public func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool { true }

    /// One after the other.
    public func read(
        _ key: RecordKey,
        and other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>) {
        func look(_ key: RecordKey) -> Result<StoredRecord, RecordStoreError> {
            Result { () throws(RecordStoreError) in try read(key, by: deadline) }
        }
        return (look(key), look(other))
    }

    /// Nothing: a store that looks for no record twice.
    public func expectRecord(of key: RecordKey) {}

    /// The turn, and then the look.
    public func acquire<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (turn: any RecordLock, seen: Seen) {
        (try acquire(name, for: key, by: deadline), look())
    }

    /// The same watch as any.
    public func watchBeforeReading(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try watch(key, by: deadline, handler)
    }

    /// Nothing: a store that needs nobody's consent to keep a record.
    public func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}

    /// Nothing: a store that holds one copy of a record.
    public func forgetLocation(of key: RecordKey) {}

    /// Nothing: a store that holds one copy of a record.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}
}
