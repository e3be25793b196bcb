/// A store that can save round trips to its daemon when it knows its caller's next request.
///
/// The Secret Service store saves round trips when an app starts, switches its access group, or writes. These
/// requirements are separate from ``RecordStore`` because a public protocol can have only public requirements, and
/// authors of stores would have to read about them. Callers use the methods of the extension below; for other stores
/// those perform the same steps one after the other.
package protocol PipelinedRecordStore: RecordStore {
    /// Reads two records, and requests the second before the first has arrived.
    func readTogether(
        _ key: RecordKey,
        _ other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>)

    /// Notes that the first search for a record is likely to find it.
    func noteExpected(_ key: RecordKey)

    /// Requests the lock of this name, and calls `look` before the response arrives. Calls it a second time if another
    /// process held the lock.
    func acquireLooking<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        _ look: () -> Seen
    ) throws(RecordStoreError) -> (lock: any RecordLock, seen: Seen)

    /// Watches a key without waiting until the watch is established; the read that follows waits for it.
    func watchWithoutWaiting(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch
}

extension RecordStore {
    /// Reads the records of two keys, as ``read(_:by:)`` does, in the time of one read if the store supports this.
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

    /// Notes that the first search for a record is likely to find it.
    package func expectRecord(of key: RecordKey) {
        (self as? any PipelinedRecordStore)?.noteExpected(key)
    }

    /// Waits for the lock of this name, and calls `look` while this process holds it. Calls it twice if the store made
    /// the first call before it knew whether the lock was free, and the lock was held.
    ///
    /// - Returns: The lock, and the result of the last call of `look`.
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

    /// Watches a key that the caller reads next. The watch reports changes made after that read.
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
