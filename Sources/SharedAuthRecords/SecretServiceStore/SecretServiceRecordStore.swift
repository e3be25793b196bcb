public import SecretService
internal import Synchronization

/// Keeps records in the desktop's Secret Service, one item each.
///
/// A record is replaced in one step, which is also what makes peers hear of it. Reading a record again costs one round
/// trip to the provider, because its item's path is remembered; changing it costs that and the write, since the bus
/// grants the lock while the read is on its way.
public final class SecretServiceRecordStore: RecordStore {
    let service: SecretService
    package let collection: RecordCollection
    let cache = ItemCache()
    let revisions: RevisionSource
    let lock: any CrossProcessLock
    let repairs = Mutex(Repairs())
    private let hub: ServiceWatchHub

    /// Makes a store on a Secret Service, whose new records go to this collection; nothing is connected yet.
    public convenience init(
        _ service: SecretService,
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic
    ) {
        self.init(service, collection: collection, locking: locking, revisions: .live)
    }

    /// Makes a store with a clock and random numbers of a test's own.
    init(
        _ service: SecretService,
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic,
        revisions: RevisionSource
    ) {
        self.service = service
        self.collection = collection
        self.revisions = revisions
        lock = locking.makeLock(on: service)
        hub = ServiceWatchHub(service: service, cache: cache)
    }

    /// The Secret Service.
    public var kind: RecordStoreKind { .secretService }

    /// Reads what is stored under `key`; writes nothing.
    public func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        do {
            return try lookUp(key, by: deadline).stored
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Reads two records, the second as soon as the first is asked for.
    public func read(
        _ key: RecordKey,
        and other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>) {
        func look(_ key: RecordKey, _ begun: BegunLook?) -> Result<StoredRecord, RecordStoreError> {
            Result { () throws(SecretServiceError) in try lookUp(key, going: begun, by: deadline).stored }
                .mapError(RecordStoreError.init)
        }
        let begun = [key, other].map { key in (try? beginLook(for: key, by: deadline)) ?? nil }
        return (look(key, begun[0]), look(other, begun[1]))
    }

    /// Has the first search for a record open the session, too.
    public func expectRecord(of key: RecordKey) { cache.expect(key) }

    /// Changes the record while no other process can.
    @discardableResult
    public func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let (hold, found) = try lock.acquire(key.lockName("org.sharedauth.lock"), by: deadline) {
            Result { () throws(SecretServiceError) in try lookUp(key, by: deadline) }
        }
        defer { hold.lock.release() }
        var result: LookupResult
        do {
            result = try repair(try found.get(), key, by: deadline)
        } catch {
            throw RecordStoreError(error)
        }
        // Where another may write at the same time, one of the two has to replace the other's.
        if !hold.isShared { result.isAlone = false }
        let change = decide(result.stored)
        if let refusal = result.stored.refusal(of: change, of: key) { throw refusal }
        let stored: StoredRecord
        do {
            stored = try carryOut(change, on: result, key, by: deadline)
            if hold.isShared { return stored }
        } catch {
            throw RecordStoreError(error)
        }
        try confirm(stored, after: change, key, by: deadline)
        return stored
    }

    /// Waits for the lock of this name.
    public func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        try lock.acquire(key.lockName("org.sharedauth.\(name)"), by: deadline).lock
    }

    /// Waits for the lock of this name, and looks in the same time.
    public func acquire<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (turn: any RecordLock, seen: Seen) {
        let (hold, seen) = try lock.acquire(
            key.lockName("org.sharedauth.\(name)"),
            by: deadline,
            looking: look
        )
        return (hold.lock, seen)
    }

    /// Watches a key.
    public func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        do {
            return try hub.watch(key, by: deadline, handler)
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Watches a key that is to be read next, without waiting until the bus knows of it.
    public func watchBeforeReading(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        do {
            return try hub.watch(key, isReadNext: true, by: deadline, handler)
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Where no lock is shared with every other process, looks whether another wrote at the same time.
    private func confirm(
        _ stored: StoredRecord,
        after change: RecordChange,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) {
        if case .keep = change { return }
        let found: StoredRecord
        do {
            found = try read(key, by: deadline)
        } catch {
            throw RecordStoreError(error.code, error.message, outcomeIsUnknown: true, underlying: error)
        }
        if found.revision == stored.revision { return }
        throw RecordStoreError(
            .conflict,
            "Another process changed \(key) at the same time, and this sandbox lets no lock be shared with it. "
                + "Allow the app to own the bus names org.sharedauth.*"
        )
    }
}
