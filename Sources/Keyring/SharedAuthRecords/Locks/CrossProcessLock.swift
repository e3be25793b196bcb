package import DesktopSupport
internal import SecretService

/// The kind of lock that keeps two processes from changing a record at the same time.
@frozen
public enum CrossProcessLocking: Sendable {
    /// A name on the session bus, or a lock among this process's threads if a sandbox denies the name. Without the
    /// name, a write is read back and reported as a conflict if another process wrote after it; a write by another
    /// process just before it is not detected. Allow the app to own the names if possible (Flatpak:
    /// `--own-name=org.sharedauth.*`).
    case automatic
    /// A name on the session bus. Every process that reaches the keyring reaches the bus too, whichever directories it
    /// sees. The bus releases the name when its owner dies.
    case busName
    /// A locked file in a directory that every process of the access group can open at this path. The directory must
    /// belong to this user, and only this user may write in it. It is created if it does not exist.
    case file(directory: String)

    func makeLock(on service: SecretService) -> any CrossProcessLock {
        switch self {
        case .automatic: BusNameLock(service: service, toleratesDenial: true)
        case .busName: BusNameLock(service: service, toleratesDenial: false)
        // In a directory of others, a lock file could be a link to one of this user's files.
        case .file(let directory): FileLock(in: Folder(ownPath: directory))
        }
    }
}

/// A lock that allows one process at a time to change a record.
///
/// A lock is released immediately when its process dies. A process that is stopped, by Ctrl-Z or a debugger, keeps its
/// lock, because it may be in the middle of a write. A process that waits for the lock until its deadline gets an error
/// that names the holder.
package protocol CrossProcessLock: Sendable {
    /// Waits for the lock of this name, and calls `look` while it is held. An implementation may call `look` before it
    /// knows whether the lock is free; if the lock was held, it calls `look` again.
    ///
    /// - Throws: `timedOut` if the lock is held until the deadline, with the `LockWait` as the underlying error.
    func acquire<Seen>(
        _ name: String,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (hold: LockHold, seen: Seen)

    /// Returns the holder of the lock of this name without acquiring the lock; nil if it is free.
    func holder(of name: String, by deadline: Deadline) throws(RecordStoreError) -> LockWait.Holder?
}

extension CrossProcessLock {
    /// Waits for the lock of this name.
    package func acquire(_ name: String, by deadline: Deadline) throws(RecordStoreError) -> LockHold {
        try acquire(name, by: deadline) {}.hold
    }
}

/// A store that can report the holder of a lock.
package protocol LockInspection: RecordStore {
    /// Returns the holder of the lock that ``RecordStore/acquire(_:for:by:)`` takes, without acquiring the lock; nil if
    /// it is free.
    func holder(
        of name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> LockWait.Holder?
}

/// A lock that this process holds until it releases it.
package struct LockHold: Sendable {
    package let lock: any RecordLock
    /// Indicates whether every process that reaches the same records respects the lock.
    package let isShared: Bool
    /// The bus name of the lock; nil for other kinds of locks.
    var name: OwnedBusName?

    /// Runs `body`. With a bus name as the lock, its calls use the connection that owns the name.
    ///
    /// - Throws: `.busClosed` once the bus has closed that connection, because another process may hold the lock then;
    ///   any error of `body`.
    func whileHeld<Done>(_ body: () throws(SecretServiceError) -> Done) throws(SecretServiceError) -> Done {
        if let name { try name.whileOwned(body) } else { try body() }
    }
}

extension RecordStoreError {
    /// Creates the error of a call that waited for a lock until its deadline.
    package init(_ wait: LockWait) {
        self.init(
            .timedOut,
            "\(wait.sentence(on: "its change of the record")); nothing was changed.",
            remedy: wait.remedy,
            underlying: wait
        )
    }

    /// The wait for a lock that exceeded the deadline; nil for other errors.
    package var lockWait: LockWait? { underlying as? LockWait ?? (underlying as? RecordStoreError)?.lockWait }
}
