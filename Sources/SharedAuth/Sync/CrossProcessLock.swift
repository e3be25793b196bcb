internal import SecretService

/// Lets one process at a time change a record.
///
/// The lock of a process that dies is free again at once.
protocol CrossProcessLock: Sendable {
    /// Waits for the lock of this name.
    func acquire(_ name: String, within deadline: Deadline) throws(RecordStoreError) -> LockHold
}

/// A lock that is held, until its turn ends.
struct LockHold {
    let turn: any Turn
    /// Whether every process that reaches the same records respects the lock.
    let isShared: Bool
}
