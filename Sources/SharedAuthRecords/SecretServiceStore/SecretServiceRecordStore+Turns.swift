package import SecretService

extension SecretServiceRecordStore {
    /// Whether every process that reaches the same records takes turns with this one. Takes a turn to find out.
    package func sharesTurns(for key: RecordKey, within deadline: Deadline) throws(RecordStoreError) -> Bool {
        let hold = try lock.acquire(key.lockName("org.sharedauth.lock"), within: deadline)
        defer { hold.turn.end() }
        return hold.isShared
    }
}
