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
    func provider(within deadline: Deadline) throws(RecordStoreError) -> String?

    /// Names the run of the program that keeps the records: another after each start of it; nil if that cannot be told, or there
    /// is no such program.
    func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String?

    /// What the store says of itself; the kind alone, unless the store knows more.
    func status(within deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus

    /// Whether what an update has written survives a crash of the store from the moment the update returns; false where
    /// that is not known. True unless the store says otherwise.
    func isDurableOnAcknowledge(within deadline: Deadline) throws(RecordStoreError) -> Bool

    /// Reads what is stored under `key`.
    func read(_ key: RecordKey, within deadline: Deadline) throws(RecordStoreError) -> StoredRecord

    /// Reads, lets `decide` choose, and carries the choice out while no other process can change the record.
    ///
    /// - Returns: what is stored afterwards.
    /// - Throws: `damaged` or `newerVersion` when `decide` writes or deletes over such a record without setting it aside;
    ///   `conflict` when another process, with which no lock can be shared, wrote at the same time.
    @discardableResult
    func update(
        _ key: RecordKey,
        within deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord

    /// Has the next read or update of the record look for everything stored in its place, unless a watch has covered the time
    /// since the last such look. Does nothing unless the store remembers where records are.
    func forgetLocation(of key: RecordKey)

    /// Mends what the last read of the record found too many in its place, such as an older copy; calls nobody if it found
    /// nothing to mend. Does nothing unless a record can be there twice.
    func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError)

    /// Waits for the turn of this name, which one holder at a time has among all processes.
    ///
    /// The turn of a process that dies is free again at once.
    func takeTurn(_ name: String, for key: RecordKey, within deadline: Deadline) throws(RecordStoreError) -> any Turn

    /// Asks the person to unlock the store, if it is locked.
    func unlock(within deadline: Deadline) throws(RecordStoreError)

    /// Makes the place where the record is to be kept, if it is not there and only the person can allow it. Does nothing
    /// unless the store says otherwise.
    func createCollection(for key: RecordKey, within deadline: Deadline) throws(RecordStoreError)

    /// Watches a key; `handler` is called in order on a thread of the store, and must return quickly.
    func watch(
        _ key: RecordKey,
        within deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch
}

/// A watch on a key, which ends when it is cancelled or released.
public protocol RecordWatch: AnyObject, Sendable {
    /// Ends the watch.
    func cancel()
}

/// A turn that this process has, until it gives it back or the turn is released.
public protocol Turn: AnyObject, Sendable {
    /// Gives the turn back; a second call does nothing.
    func end()
}
