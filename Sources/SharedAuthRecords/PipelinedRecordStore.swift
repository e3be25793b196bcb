/// A store that saves round trips to the program that keeps its records, where it knows what its caller does next.
///
/// The store of the Secret Service saves round trips at a start, a switch and a write by it; a store that waits for no
/// other program has none to save. The requirements are not those of ``RecordStore``, since a public protocol has only
/// public ones, and an author of a store would have to read about them. Callers use the methods of the extension below,
/// which do the same one after the other where a store does not conform.
package protocol PipelinedRecordStore: RecordStore {
    /// Reads two records, and asks for the second before the first has arrived.
    func readTogether(
        _ key: RecordKey,
        _ other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>)

    /// Notes that the first look for a record is likely to find it.
    func noteExpected(_ key: RecordKey)

    /// Asks for the lock of this name, and calls `look` before the answer has arrived: a second time, if another process
    /// turns out to have held the lock meanwhile.
    func acquireLooking<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        _ look: () -> Seen
    ) throws(RecordStoreError) -> (lock: any RecordLock, seen: Seen)

    /// Watches a key, and leaves it to the read that follows to wait until the watch is there.
    func watchWithoutWaiting(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch
}

extension RecordStore {
    /// Reads what is stored under two keys, as ``read(_:by:)`` does; in the time of one, if the store can.
    package func read(
        _ key: RecordKey,
        and other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>) {
        if let store = self as? any PipelinedRecordStore { return store.readTogether(key, other, by: deadline) }
        func look(_ key: RecordKey) -> Result<StoredRecord, RecordStoreError> {
            Result { () throws(RecordStoreError) in try read(key, by: deadline) }
        }
        return (look(key), look(other))
    }

    /// Says that a record is likely to be there when it is looked for the first time.
    package func expectRecord(of key: RecordKey) {
        (self as? any PipelinedRecordStore)?.noteExpected(key)
    }

    /// Waits for the lock of this name, and calls `look` while this process holds it: twice, if the store called it before
    /// it was known whether the lock is free, and it was not.
    ///
    /// - Returns: the lock, and what the last `look` returned.
    package func acquire<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (lock: any RecordLock, seen: Seen) {
        if let store = self as? any PipelinedRecordStore {
            return try store.acquireLooking(name, for: key, by: deadline, look)
        }
        return (try acquire(name, for: key, by: deadline), look())
    }

    /// Watches a key that the caller reads next; the watch tells of changes after that read.
    package func watchBeforeReading(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        if let store = self as? any PipelinedRecordStore {
            return try store.watchWithoutWaiting(key, by: deadline, handler)
        }
        return try watch(key, by: deadline, handler)
    }
}
