package import SecretService

extension SecretServiceRecordStore {
    /// Whether every process that reaches the same records respects the lock of this one. Takes the lock to find out.
    package func sharesLocks(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> Bool {
        let hold = try lock.acquire(key.lockName("org.sharedauth.lock"), by: deadline)
        defer { hold.lock.release() }
        return hold.isShared
    }
}
