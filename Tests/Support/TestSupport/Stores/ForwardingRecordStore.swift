package import SecretService
package import SharedAuth

/// A store that forwards each call to another one, except for those that it implements itself.
package protocol ForwardingRecordStore: RecordStore {
    associatedtype Base: RecordStore

    /// The store that receives the calls.
    var base: Base { get }
}

extension ForwardingRecordStore {
    package var kind: RecordStoreKind { base.kind }

    package func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        try base.read(key, by: deadline)
    }

    @discardableResult
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

    package func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        try base.status(by: deadline)
    }

    package func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? { try base.daemon(by: deadline) }

    package func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try base.daemonRun(by: deadline)
    }

    package func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        try base.isDurableOnAcknowledge(by: deadline)
    }

    package func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try base.createCollection(for: key, by: deadline)
    }

    package func checkWritable(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try base.checkWritable(key, by: deadline)
    }

    package func forgetLocation(of key: RecordKey) { base.forgetLocation(of: key) }

    package func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try base.repairDuplicates(of: key, by: deadline)
    }
}

/// Lists the records of the base store, if that can list them.
extension RecordListing where Self: ForwardingRecordStore, Base: RecordListing {
    package var listsKinds: Bool { base.listsKinds }

    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> {
        try base.kinds(beginningWith: prefix, like: key, by: deadline)
    }

    package func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        try base.records(ofProject: project, instance: instance, kind: kind, by: deadline)
    }

    package func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord]
    {
        try base.setAsideRecords(of: key, by: deadline)
    }

    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        try base.discardSetAside(of: keys, by: deadline)
    }
}

/// A store as an app may provide it: it can neither list its records nor save round trips.
package struct PlainStore<Base: RecordStore>: ForwardingRecordStore {
    package let base: Base

    package init(_ base: Base = InMemoryRecordStore()) { self.base = base }
}
