public import SecretService

/// Keeps records under keys, changes them one at a time across processes, and tells who watches.
///
/// Calls block until the store answers or the deadline passes, and never ask the person to unlock anything. They may be
/// made from any thread, but not from inside a watch's handler.
public protocol RecordStore: Sendable {
    /// Which kind of store this is.
    var kind: RecordStoreKind { get }

    /// The program that keeps the records; nil when there is none, or nobody tells. That of the status, unless the store
    /// has a shorter way.
    func provider(by deadline: Deadline) throws(RecordStoreError) -> String?

    /// Names the run of the program that keeps the records: another after each start of it; nil if that cannot be told, or there
    /// is no such program.
    func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String?

    /// What the store says of itself; the kind alone, unless the store knows more.
    func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus

    /// Whether what an update has written survives a crash of the store from the moment the update returns; false where
    /// that is not known. True unless the store says otherwise.
    func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool

    /// Reads what is stored under `key`; writes nothing.
    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord

    /// Reads what is stored under two keys, as ``read(_:by:)`` does; in the time of one, if the store can.
    func read(
        _ key: RecordKey,
        and other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>)

    /// Says that a record is likely to be there when it is looked for the first time. Does nothing unless the store gains by
    /// knowing.
    func expectRecord(of key: RecordKey)

    /// Reads, lets `decide` choose, and carries the choice out while no other process can change the record.
    ///
    /// - Returns: what is stored afterwards.
    /// - Throws: `damaged` or `newerVersion` when `decide` writes or deletes over such a record without setting it aside, unless
    ///   it is empty; `failed` when the record would grow beyond 1 MiB;
    ///   `conflict` when another process, with which no lock can be shared, wrote at the same time.
    @discardableResult
    func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord

    /// Makes the next read or update of the key look at everything in the record's place, not only where the record was last:
    /// a second copy that came there since may not bring back what is about to be deleted. Does nothing where the store has
    /// watched the place ever since, and in stores that can hold one copy only.
    func forgetLocation(of key: RecordKey)

    /// Removes what the last read or update found in the record's place beside the newest whole record: older copies are
    /// deleted, and what cannot be opened is set aside. Does nothing, without a call, if nothing was found, or what was found
    /// could not be removed before; nothing in stores that can hold one copy only.
    func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError)

    /// Waits for the lock of this name, which has one holder at a time among all processes.
    ///
    /// The lock of a process that dies is free again at once.
    func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> any RecordLock

    /// Waits for the turn of this name, and has `look` done while it is this process's: twice, if what it saw first was too
    /// early.
    func acquire<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        looking look: () -> Seen
    ) throws(RecordStoreError) -> (turn: any RecordLock, seen: Seen)

    /// Asks the person to unlock the store, if it is locked.
    func unlock(by deadline: Deadline) throws(RecordStoreError)

    /// Makes the place where the record is to be kept, if it is not there and only the person can allow it. Does nothing
    /// unless the store says otherwise.
    func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError)

    /// Watches a key; `handler` is called in order on a thread of the store, and must return quickly.
    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch

    /// Watches a key that the caller reads next: told of is what changes after that. As ``watch(_:by:_:)``, unless the
    /// store gains by knowing.
    func watchBeforeReading(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch
}

/// A watch on a key, which ends when it is cancelled or released.
public protocol RecordWatch: AnyObject, Sendable {
    /// Ends the watch.
    func cancel()
}

/// A lock that this process holds, until it releases it or gives up this object.
public protocol RecordLock: AnyObject, Sendable {
    /// Releases the lock; a second call does nothing.
    func release()
}
