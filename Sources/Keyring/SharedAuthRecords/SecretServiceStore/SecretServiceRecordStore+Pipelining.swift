internal import SecretService

extension SecretServiceRecordStore: PipelinedRecordStore {
    /// Requests the second record immediately after the first.
    package func readTogether(
        _ key: RecordKey,
        _ other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>) {
        func look(_ key: RecordKey, _ begun: BegunLook?) -> Result<StoredRecord, RecordStoreError> {
            Result { () throws(SecretServiceError) in try lookUp(key, going: begun, by: deadline).stored }
                .mapError(RecordStoreError.init)
        }
        let begun = [key, other].map { key in (try? beginLook(for: key, by: deadline)) ?? nil }
        return (look(key, begun[0]), look(other, begun[1]))
    }

    /// Makes the first search for the record open the session too.
    package func noteExpected(_ key: RecordKey) { cache.expect(key) }

    /// Calls `look` while the bus grants the lock.
    package func acquireLooking<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        _ look: () -> Seen
    ) throws(RecordStoreError) -> (lock: any RecordLock, seen: Seen) {
        let (hold, seen) = try lock.acquire(key.lockName("org.sharedauth.\(name)"), by: deadline, looking: look)
        return (hold.lock, seen)
    }

    /// Does not wait for the bus to confirm the watch, because the bus processes the messages of one connection in
    /// order.
    package func watchWithoutWaiting(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try watch(key, isReadNext: true, by: deadline, handler)
    }
}
