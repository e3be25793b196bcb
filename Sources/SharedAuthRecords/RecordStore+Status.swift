public import SecretService

extension RecordStore {
    /// The kind alone: a store that nobody else provides and that has no lock.
    public func status(within deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        RecordStoreStatus(kind: kind)
    }

    /// The provider that the status names.
    public func provider(within deadline: Deadline) throws(RecordStoreError) -> String? {
        try status(within: deadline).provider
    }

    /// Nil: a store that no other program keeps.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? { nil }

    /// True: a store that writes before it answers.
    public func isDurableOnAcknowledge(within deadline: Deadline) throws(RecordStoreError) -> Bool { true }

    /// One after the other.
    public func read(
        _ key: RecordKey,
        and other: RecordKey,
        within deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>) {
        func look(_ key: RecordKey) -> Result<StoredRecord, RecordStoreError> {
            Result { () throws(RecordStoreError) in try read(key, within: deadline) }
        }
        return (look(key), look(other))
    }

    /// Nothing: a store that looks for no record twice.
    public func expectRecord(of key: RecordKey) {}

    /// The turn, and then the look.
    public func takeTurn<Seen>(
        _ name: String,
        for key: RecordKey,
        within deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (turn: any Turn, seen: Seen) {
        (try takeTurn(name, for: key, within: deadline), look())
    }

    /// The same watch as any.
    public func watchBeforeReading(
        _ key: RecordKey,
        within deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try watch(key, within: deadline, handler)
    }

    /// Nothing: a store that needs nobody's consent to keep a record.
    public func createCollection(for key: RecordKey, within deadline: Deadline) throws(RecordStoreError) {}

    /// Nothing: a store that holds one copy of a record.
    public func forgetLocation(of key: RecordKey) {}

    /// Nothing: a store that holds one copy of a record.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}
}
