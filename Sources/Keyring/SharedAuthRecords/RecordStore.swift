@_exported public import Formats

// Every store method takes a deadline; apps get the type from this module.
@_exported public import class DesktopSupport.Cancellation
@_exported public import struct DesktopSupport.Deadline
@_exported public import protocol DesktopSupport.Redacted

/// Stores records under keys, changes them one at a time across processes, and notifies watches of changes.
///
/// A store must implement ``kind``, ``read(_:by:)``, ``update(_:by:_:)``, ``acquire(_:for:by:)``, ``unlock(by:)`` and
/// ``watch(_:by:_:)``. The other requirements have defaults that suit a store without a daemon.
///
/// Calls block until the store responds or the deadline passes. Only ``unlock(by:)`` and ``createCollection(for:by:)``
/// prompt the user to unlock or create anything; some keyring daemons also prompt the user to confirm a write or a
/// deletion. You can call the methods from any thread, but not from a watch's handler.
///
/// Any call may throw `locked`, `unavailable`, `denied`, `timedOut` or `failed`; methods list further errors.
public protocol RecordStore: Sendable {
    /// The kind of this store.
    var kind: RecordStoreKind { get }

    /// Reads the record stored under `key`, and writes nothing. Returns damaged records and records of a newer format
    /// instead of throwing.
    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord

    /// Reads a record, calls `decide` on the calling thread, and carries out the returned change while no other process
    /// can change the record.
    ///
    /// - Returns: The record stored afterwards.
    /// - Throws: `damaged` when `decide` writes over or deletes a damaged record that is not empty, without setting it
    ///   aside; `newerVersion` when it changes a record of a newer format; `failed` when the record would exceed 1 MiB;
    ///   `conflict` when another process that cannot share a lock with this one wrote at the same time.
    @discardableResult
    func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord

    /// Checks that a record of the usual size could be written now, beyond what a read of the same key has just told.
    /// Changes nothing. A sign-in asks this before it contacts the identity provider. The default implementation does
    /// nothing, which suits a store whose read fails whenever a write would.
    ///
    /// - Throws: The error that a write would throw, such as `full`.
    func checkWritable(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError)

    /// Waits for the lock of this name. The lock has one holder at a time among all processes.
    ///
    /// A lock is released immediately when its process dies. The lock named `lock` is the one that ``update(_:by:_:)``
    /// takes: while it is held, no update of the record runs.
    /// - Throws: `timedOut` if another process or thread holds the lock until the deadline.
    func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> any RecordLock

    /// Prompts the user to unlock the store, if it is locked.
    ///
    /// - Throws: `dismissed` if the user declines or cannot be prompted.
    func unlock(by deadline: Deadline) throws(RecordStoreError)

    /// Watches a key. Calls `handler` in order on one of the store's threads; it must return quickly.
    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch

    /// Returns the status of the store. The default implementation returns only the kind.
    func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus

    /// Returns the program that keeps the records; nil when there is no such program or its name is unknown. The
    /// default implementation returns the status's `daemon`.
    func daemon(by deadline: Deadline) throws(RecordStoreError) -> String?

    /// Returns an identifier of the running daemon that keeps the records; it changes with each start. The default
    /// implementation returns nil: there is no such program, or its run is unknown.
    func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String?

    /// Returns whether an update's data survives a crash of the store from the moment the update returns; false when
    /// this is unknown. The default implementation returns true.
    func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool

    /// Creates the collection for the record if it does not exist and only the user can permit it. The default
    /// implementation does nothing.
    ///
    /// - Throws: `dismissed` if the user declines or cannot be prompted.
    func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError)

    /// Makes the next read or update of the key search for every copy of the record, not only at its known location.
    /// Otherwise a second copy that was added since could bring back a record that is about to be deleted. The default
    /// implementation does nothing, which suits a store that keeps one copy.
    func forgetLocation(of key: RecordKey)

    /// Removes the duplicates that the last read or update found besides the newest intact record: deletes older
    /// copies, and sets items aside that cannot be opened. Makes no call if there were no duplicates or their removal
    /// failed before. The default implementation does nothing, which suits a store that keeps one copy.
    func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError)
}

/// A lock held by this process until it is released or this object is deinitialized.
public protocol RecordLock: AnyObject, Sendable {
    /// Releases the lock. Further calls do nothing.
    func release()
}

/// A lock that can be lost before it is released.
package protocol LosableLock: RecordLock {
    /// Indicates whether another process may hold the lock by now.
    var isLost: Bool { get }
}

extension RecordLock {
    /// Indicates whether another process may hold the lock by now, because the bus has closed the connection that held
    /// it.
    package var isLost: Bool { (self as? any LosableLock)?.isLost ?? false }
}

extension RecordStore {
    /// Does nothing, for a store whose read fails whenever a write would.
    public func checkWritable(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}

    /// Returns only the kind, for a store without a daemon and without a lock.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        RecordStoreStatus(kind: kind)
    }

    /// Returns the daemon named by the status.
    public func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try status(by: deadline).daemon
    }

    /// Returns nil, for a store without a daemon.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? { nil }

    /// Returns true, for a store that writes before it returns.
    public func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool { true }

    /// Does nothing, for a store that needs no permission to keep a record.
    public func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}

    /// Does nothing, for a store that keeps one copy of each record.
    public func forgetLocation(of key: RecordKey) {}

    /// Does nothing, for a store that keeps one copy of each record.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}
}
