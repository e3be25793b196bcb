package import SecretService

/// Lets one process at a time change a record.
///
/// The lock of a process that dies is free again at once.
package protocol CrossProcessLock: Sendable {
    /// Waits for the lock of this name, and has `look` done while it is held: once more, if what it saw was too early.
    func acquire<Seen>(
        _ name: String,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (hold: LockHold, seen: Seen)
}

extension CrossProcessLock {
    /// Waits for the lock of this name.
    package func acquire(_ name: String, by deadline: Deadline) throws(RecordStoreError) -> LockHold {
        try acquire(name, by: deadline) {}.hold
    }
}

/// A lock that is held, until it is released.
package struct LockHold {
    package let lock: any RecordLock
    /// Whether every process that reaches the same records respects the lock.
    package let isShared: Bool
}
