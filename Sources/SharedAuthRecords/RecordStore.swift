// Every call of a store has a deadline; apps get the type from here.
@_exported public import class DesktopSupport.Cancellation
@_exported public import struct DesktopSupport.Deadline

/// Keeps records under keys, changes them one at a time across processes, and tells those who watch.
///
/// A store has to have ``kind``, ``read(_:by:)``, ``update(_:by:_:)``, ``acquire(_:for:by:)``, ``unlock(by:)`` and
/// ``watch(_:by:_:)``; the other requirements have defaults, which are right for a store that no other program keeps.
///
/// Calls block until the store answers or the deadline passes, and never ask the person to unlock anything, except for
/// ``unlock(by:)`` and ``createCollection(for:by:)``. They may be made from any thread, but not from inside a watch's handler.
///
/// Every call throws `locked`, `unavailable`, `denied`, `timedOut` or `failed` if the store is in the way; what else it throws is said
/// with it.
public protocol RecordStore: Sendable {
    /// Which kind of store this is.
    var kind: RecordStoreKind { get }

    /// Reads what is stored under `key`; writes nothing. A damaged record, or one of a newer format, is an answer and no error.
    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord

    /// Reads, lets `decide` choose, and carries the choice out while no other process can change the record.
    ///
    /// - Returns: what is stored afterwards.
    /// - Throws: `damaged` when `decide` writes or deletes over a damaged record that is not empty without setting it aside;
    ///   `newerVersion` when it changes a record of a newer format; `failed` when the record would grow beyond 1 MiB;
    ///   `conflict` when another process, with which no lock can be shared, wrote at the same time.
    @discardableResult
    func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord

    /// Waits for the lock of this name, which has one holder at a time among all processes.
    ///
    /// The lock of a process that dies is free again at once. The lock named `lock` is the one that ``update(_:by:_:)`` takes: while it
    /// is held, no update of the record runs.
    /// - Throws: `timedOut` if another process or thread holds it until the deadline.
    func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> any RecordLock

    /// Asks the person to unlock the store, if it is locked.
    ///
    /// - Throws: `dismissed` if the person declines, or cannot be asked.
    func unlock(by deadline: Deadline) throws(RecordStoreError)

    /// Watches a key; `handler` is called in order on a thread of the store, and must return quickly.
    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch

    /// What the store says of itself. By default the kind alone.
    func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus

    /// The program that keeps the records; nil when there is none, or its name is not known. By default
    /// that of the status.
    func daemon(by deadline: Deadline) throws(RecordStoreError) -> String?

    /// Names the run of the program that keeps the records: another one after each start of it. Nil, the default, if that
    /// is not known, or there is no such program.
    func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String?

    /// Whether what an update has written survives a crash of the store from the moment the update returns; false where
    /// that is not known. By default true.
    func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool

    /// Makes the place where the record is to be kept, if it is not there and only the person can allow it. By default it
    /// does nothing.
    ///
    /// - Throws: `dismissed` if the person declines, or cannot be asked.
    func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError)

    /// Makes the next read or update of the key look for every copy of the record, not only at the known one: otherwise a second
    /// copy that was added since could bring back a record that is about to be deleted. By default it does nothing, which is right
    /// for a store that holds one copy only.
    func forgetLocation(of key: RecordKey)

    /// Removes what the last read or update found in the record's place besides the newest whole record: older copies are
    /// deleted, and what cannot be opened is set aside. Makes no call if nothing was found, or if what was found could not be
    /// removed before. By default it does nothing, which is right for a store that holds one copy only.
    func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError)
}

/// A lock that this process holds, until it releases it or gives up this object.
public protocol RecordLock: AnyObject, Sendable {
    /// Releases the lock; a second call does nothing.
    func release()
}

extension RecordStore {
    /// The kind alone: a store that no other program keeps and that has no lock.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        RecordStoreStatus(kind: kind)
    }

    /// The daemon that the status names.
    public func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try status(by: deadline).daemon
    }

    /// Nil: a store that no other program keeps.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? { nil }

    /// True: a store that writes before it answers.
    public func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool { true }

    /// Does nothing: a store that asks no person to keep a record.
    public func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}

    /// Does nothing: a store that holds one copy of a record.
    public func forgetLocation(of key: RecordKey) {}

    /// Does nothing: a store that holds one copy of a record.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {}
}
