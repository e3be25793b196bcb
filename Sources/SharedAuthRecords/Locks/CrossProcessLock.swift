package import DesktopSupport
internal import SecretService

/// How processes keep one another from changing a record at the same time.
@frozen
public enum CrossProcessLocking: Sendable {
    /// A name on the session bus; where a sandbox denies that, a lock among this process's threads alone. A write is then
    /// read back, and reported as a conflict if another process wrote after it; one that wrote just before it goes
    /// unnoticed. So let the app own the names if you can (Flatpak: `--own-name=org.sharedauth.*`).
    case automatic
    /// A name on the session bus: every process that reaches the keyring reaches it too, whatever directories it sees. The bus
    /// frees it when its owner dies.
    case busName
    /// A locked file in a directory that every process of the group sees under this path.
    case file(directory: String)

    func makeLock(on service: SecretService) -> any CrossProcessLock {
        switch self {
        case .automatic: BusNameLock(service: service, toleratesDenial: true)
        case .busName: BusNameLock(service: service, toleratesDenial: false)
        case .file(let directory): FileLock(directory: directory)
        }
    }
}

/// Lets one process at a time change a record.
///
/// The lock of a process that dies is free again at once. That of a process that is stopped stays its own: it may be in the middle of a
/// write. Who waits for it has an error in the end that names the process.
package protocol CrossProcessLock: Sendable {
    /// Waits for the lock of this name, and calls `look` while it is held. An implementation may call `look` before it is
    /// known that the lock is free; if it was not, it calls it once more.
    func acquire<Seen>(
        _ name: String,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (hold: LockHold, seen: Seen)

    /// Returns the holder of the lock of this name, without a lock of its own; nil if it is free.
    func holder(of name: String, by deadline: Deadline) throws(RecordStoreError) -> LockWait.Holder?
}

extension CrossProcessLock {
    /// Waits for the lock of this name.
    package func acquire(_ name: String, by deadline: Deadline) throws(RecordStoreError) -> LockHold {
        try acquire(name, by: deadline) {}.hold
    }
}

/// A store that can tell who has a lock.
package protocol LockInspection: RecordStore {
    /// Returns the holder of the lock that ``RecordStore/acquire(_:for:by:)`` takes, without a lock of its own; nil if
    /// it is free.
    func holder(
        of name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> LockWait.Holder?
}

/// A lock that is held, until it is released.
package struct LockHold: Sendable {
    package let lock: any RecordLock
    /// Whether every process that reaches the same records respects the lock.
    package let isShared: Bool
    /// The name on the bus that is the lock; nil for other locks.
    var name: OwnedBusName?

    /// Does `body` as long as this process is known to hold the lock.
    func whileHeld<Done>(_ body: () throws(SecretServiceError) -> Done) throws(SecretServiceError) -> Done {
        if let name { try name.whileOwned(body) } else { try body() }
    }
}

extension RecordStoreError {
    /// The error of a call that has waited for a lock until its deadline.
    package init(_ wait: LockWait) {
        self.init(
            .timedOut,
            "\(wait.sentence(on: "its change of the record")); nothing was changed.",
            remedy: wait.remedy,
            underlying: wait
        )
    }

    /// The wait for a lock that took all the time of the call; nil if it was none.
    package var lockWait: LockWait? { underlying as? LockWait ?? (underlying as? RecordStoreError)?.lockWait }
}
