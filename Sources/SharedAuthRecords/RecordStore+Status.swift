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

    /// Nothing: a store that needs nobody's consent to keep a record.
    public func createCollection(for key: RecordKey, within deadline: Deadline) throws(RecordStoreError) {}

    /// Nothing: a store that holds one copy of a record.
    public func forgetLocation(of key: RecordKey) {}

    /// Nothing: a store that holds one copy of a record.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}
}
