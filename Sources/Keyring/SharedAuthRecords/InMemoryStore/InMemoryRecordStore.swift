internal import Synchronization

/// A store in the memory of this process: for tests, previews, and apps that must leave nothing behind.
///
/// Several apps in one process share state by sharing the store.
public final class InMemoryRecordStore: RecordStore {
    private struct Contents {
        var records: [RecordKey: StoredRecord] = [:]
        var watches = KeyWatches()
    }

    private let contents = Mutex(Contents())
    private let locks = NamedLocks()
    private let revisions: RevisionSource

    /// Creates an empty store.
    public convenience init() {
        self.init(revisions: .live)
    }

    init(revisions: RevisionSource) {
        self.revisions = revisions
    }

    /// The in-memory kind.
    public var kind: RecordStoreKind { .inMemory }

    /// Returns the record stored under `key`; never throws.
    public func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        contents.withLock { $0.records[key] ?? .none }
    }

    /// Changes the record while no other thread can.
    @discardableResult
    public func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let lock = try acquire("lock", for: key, by: deadline)
        defer { lock.release() }
        let stored = contents.withLock { $0.records[key] ?? .none }
        let change = decide(stored)
        if let refusal = stored.refusal(of: change, of: key) { throw refusal }
        switch change {
        case .keep:
            return stored
        case .write(let payload), .replaceDamaged(let payload):
            let record = Record(payload: payload, revision: revisions.revision(after: stored.revision))
            put(.whole(record), under: key)
            return .whole(record)
        case .delete, .removeDamaged:
            put(.none, under: key)
            return .none
        }
    }

    /// Waits for the lock of this name among the threads of this process.
    public func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        try locks.acquire("\(name) \(key)", by: deadline)
    }

    /// Does nothing: memory is never locked.
    public func unlock(by deadline: Deadline) throws(RecordStoreError) {}

    /// Watches a key.
    public func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        let watch = KeyWatch(key: key, handler: handler)
        contents.withLock { $0.watches.add(watch) }
        return watch
    }

    /// Stores anything under a key, even a state that no update would write, and notifies the watches.
    package func put(_ stored: StoredRecord, under key: RecordKey) {
        let watches = contents.withLock { contents in
            contents.records[key] = stored
            return contents.watches.living.filter { $0.key == key }
        }
        for watch in watches { watch.tell(.changed) }
    }
}

extension InMemoryRecordStore: RecordListing {
    /// True.
    package var listsKinds: Bool { true }

    /// Searches all records.
    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> {
        contents.withLock { contents in
            let kinds = contents.records.compactMap { stored, record -> String? in
                if case .none = record { return nil }
                return stored.isLike(key) && stored.kind.hasPrefix(prefix) ? stored.kind : nil
            }
            return Set(kinds)
        }
    }

    /// Searches all records. Does not record times.
    package func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        contents.withLock { contents in
            contents.records.compactMap { key, stored in
                guard key.isOf(project: project, instance: instance, kind: kind) else { return nil }
                return switch stored {
                case .none: nil
                case .whole(let record): ListedRecord(key: key, stored: stored, size: record.payload.count)
                case .empty, .damaged, .newer: ListedRecord(key: key, stored: stored, size: 0)
                }
            }
        }
    }

    /// Returns nothing, because copies are never set aside in memory.
    package func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord]
    { [] }

    /// Does nothing, because copies are never set aside in memory.
    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {}
}
