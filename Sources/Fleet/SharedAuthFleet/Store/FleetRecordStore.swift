internal import DesktopSupport
internal import Dispatch
package import FoundationEssentials
public import SharedAuthRecords
internal import Synchronization

extension RecordStoreKind {
    /// A fleet: records that a person's devices share through a server that cannot read them.
    public static let fleet = RecordStoreKind(rawValue: "fleet")
}

/// Shares the users of access groups among a person's devices, and keeps all other records on this one.
///
/// The server's records are the truth. This device keeps a copy, which is shown while the server is away; a sign-out is
/// then the only possible change, and is carried out when the server is back. The device must belong to a fleet: see
/// ``Fleet``.
///
/// A lock of a shared record is a row that the server locks. It is lost if this process is stopped for longer than an
/// exchange of tokens may take.
public final class FleetRecordStore: RecordStore {
    let records: LocalRecords
    let makeServer: @Sendable (ServerAddress) -> any FleetServer
    /// An open connection for the next call, closed when it was not used for a while.
    private let idle = Mutex<Membership?>(nil)
    /// The turns to exchange tokens that this store holds.
    let turns = Mutex<[RecordKey: WeakTurn]>([:])
    let listeners = Listeners()
    let feed = Feed()
    let election: ListenerElection
    let times: ListenerTimes
    private let lastReads = Mutex(LastReads())

    /// The results of the last read of each record.
    private struct LastReads {
        struct Read {
            let isAway: Bool
            let asOf: Date?
        }

        var latest: RecordKey?
        var reads: [RecordKey: Read] = [:]
    }

    /// The kinds of records that are shared, if they belong to an access group.
    private static let sharedKinds: Set<String> = ["user"]
    private static let longestIdleTime = Duration.seconds(10)

    /// Creates a store.
    ///
    /// - Parameter local: The store for this device's own records, its keys, and the copies of shared records.
    public convenience init(local: any RecordStore) {
        self.init(LocalRecords(local)) { PostgresServer(address: $0) }
    }

    /// Creates a store with other times: after which the server ends a turn without a call, and after which the records
    /// are read again although no change was reported.
    package convenience init(local: any RecordStore, turnLimit: Duration, confirmation: Duration = .seconds(60)) {
        self.init(LocalRecords(local), ListenerTimes(confirmation: confirmation)) {
            PostgresServer(address: $0, turnLimit: turnLimit)
        }
    }

    init(
        _ records: LocalRecords,
        _ times: ListenerTimes = ListenerTimes(),
        server: @escaping @Sendable (ServerAddress) -> any FleetServer
    ) {
        self.records = records
        self.times = times
        election = ListenerElection(besides: records.store)
        makeServer = server
    }

    deinit {
        listeners.stop()
        idle.withLock { $0 }?.session.close()
    }

    /// The fleet kind.
    public var kind: RecordStoreKind { .fleet }

    func isShared(_ key: RecordKey) -> Bool {
        guard case .group = key.scope else { return false }
        return Self.sharedKinds.contains(key.kind)
    }

    // MARK: Connections

    /// Returns a connection whose device list is the server's.
    ///
    /// - Throws: The failure of the local store, or of the fleet.
    func connect(by deadline: Deadline, isNew: Bool = false) throws(RecordStoreError) -> Membership {
        let kept: Membership? =
            isNew
            ? nil
            : idle.withLock { idle in
                defer { idle = nil }
                return idle
            }
        if let kept, kept.session.isUsable { return kept }
        guard let device = try records.device(by: deadline) else { throw RecordStoreError(.notEnrolled) }
        do throws(FleetError) {
            return try Membership(device, at: makeServer(device.address), by: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Keeps a connection for the next call.
    func park(_ membership: Membership) {
        let former = idle.withLock { idle in
            defer { idle = membership }
            return idle
        }
        former?.session.close()
        let session = membership.session
        Timer(after: Self.longestIdleTime) { [weak self] in
            DispatchQueue.global(qos: .utility).async { [weak self] in
                let expired = self?.idle.withLock { idle -> Bool in
                    guard idle?.session === session else { return false }
                    idle = nil
                    return true
                }
                if expired == true { session.close() }
            }
        }
    }

    /// Runs `body` with a connection, and keeps it afterwards if it can be used again. If the server has closed a kept
    /// connection meanwhile, runs `body` again on a new one, unless `isDone` says that it must not be repeated.
    func withServer<Value>(
        by deadline: Deadline,
        isDone: () -> Bool = { false },
        _ body: (inout Membership) throws(FleetError) -> Value
    ) throws(RecordStoreError) -> Value {
        var isNew = false
        while true {
            var membership = try connect(by: deadline, isNew: isNew)
            do throws(FleetError) {
                let value = try body(&membership)
                park(membership)
                return value
            } catch {
                membership.session.close()
                guard error.code == .away, !error.outcomeIsUnknown, !isNew, !deadline.isPast, !isDone() else {
                    throw RecordStoreError(error)
                }
                isNew = true
            }
        }
    }

    // MARK: Reading

    /// Reads a record from the server, or its copy on this device if that follows the server, or if the server cannot be
    /// used. In a turn to exchange tokens the copy is not read: another device may have used its tokens up.
    ///
    /// A copy follows the server while a process of the session listens. It may then be older than the server's record
    /// by the time that a notification takes; it is never older than a record that this store has returned.
    ///
    /// Treats as absent a record that no device of the fleet wrote: this device writes its copy above it.
    /// - Throws: `denied` if this device was removed, or the fleet has ended; `unavailable` if this device belongs to no
    ///   fleet, or the server cannot be used and there is no copy.
    public func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        guard isShared(key) else { return try records.store.read(key, by: deadline) }
        if let stored = try readFedCopy(key, by: deadline) { return stored }
        let failure: RecordStoreError
        do throws(RecordStoreError) {
            if let stored = try readServer(key, by: deadline.leavingTimeForCopy) { return stored }
            // The server's record must be changed first: a sign-out is carried out, or a restored backup repaired.
            return try update(key, by: deadline) { _ in .keep }
        } catch {
            guard error.ofFleet?.leavesCopy == true, turn(for: key) == nil else { throw error }
            failure = error
        }
        return try readCopy(key, by: deadline, insteadOf: failure)
    }

    /// Returns the copy of a record if it follows the server; nil otherwise.
    private func readFedCopy(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord? {
        guard feed.covers(key) else { return nil }
        let copy = try records.copy(of: key, by: deadline)
        guard copy.isConfirmed, copy.state.pendingSignOuts.isEmpty, feed.isLatest(copy.state.copy?.position, of: key)
        else { return nil }
        note(key, isAway: false, asOf: copy.asOf.map { max($0, feed.confirmation(of: key) ?? $0) })
        return copy.state.shownRecord
    }

    /// Reads a record from the server, and takes it as the copy; nil if the server's record must be changed first.
    ///
    /// - Parameter storing: What is stored although the record is the same.
    func readServer(
        _ key: RecordKey,
        storing: StoredConfirmation = .age,
        by deadline: Deadline
    ) throws(RecordStoreError) -> StoredRecord? {
        let isListed = listeners.keys.contains(key) ? try list(key, by: deadline) : false
        let local = try records.copy(of: key, by: deadline)
        let found = try withServer(by: deadline) { membership throws(FleetError) in
            try fetch(key, through: &membership, by: deadline)
        }
        let stored = adopt(found, as: key, over: local, isListed: isListed, storing: storing, by: deadline)
        if stored != nil { note(key, isAway: false, asOf: Date()) }
        return stored
    }

    /// Adds a record to the device's list of copies, which the listening process feeds. Returns whether it is listed.
    private func list(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> Bool {
        if feed.isListed(key) { return true }
        guard let device = try records.device(by: deadline) else { return false }
        if device.copies.contains(key.name) { return true }
        do throws(RecordStoreError) {
            try records.list(key, by: deadline)
            return true
        } catch {
            return false
        }
    }

    /// A record of the server, nil if it has none, with the epoch of the fleet and the id of this device.
    struct Fetched {
        let record: FleetState<UserContent>.Copy?
        let epoch: UInt64
        let device: String
    }

    /// Reads a record from the server.
    func fetch(
        _ key: RecordKey,
        through membership: inout Membership,
        by deadline: Deadline
    ) throws(FleetError) -> Fetched {
        let name = membership.keys.name(of: key)
        var (row, header) = try membership.session.read(name, by: deadline)
        if header?.digest != membership.device.header.digest {
            try membership.follow(header, in: records, by: deadline)
            row = try membership.session.read(name, by: deadline).record
        }
        return Fetched(
            record: membership.open(row, named: name),
            epoch: membership.keys.epoch,
            device: membership.device.keys.id
        )
    }

    /// When the local store is changed although a record is the same.
    enum StoredConfirmation {
        /// If the copy was not confirmed. The local store may rewrite all that it has for each change.
        case changes
        /// Also if the confirmation is older than a minute.
        case age
        /// Always.
        case confirmation
    }

    /// Takes a record of the server as the copy; returns nil if the server's record must be changed first.
    ///
    /// - Parameter local: The copy from before the record was fetched.
    func adopt(
        _ found: Fetched,
        as key: RecordKey,
        over local: LocalRecords.Copy,
        isListed: Bool,
        storing: StoredConfirmation,
        by deadline: Deadline
    ) -> StoredRecord? {
        var state = local.state
        if state.meet(found.record, epoch: found.epoch).mustWrite { return nil }
        let isStored: Bool
        switch storing {
        case .changes: isStored = true
        case .age: isStored = local.asOf.map { -$0.timeIntervalSinceNow < 60 } ?? false
        case .confirmation: isStored = false
        }
        if state != local.state || !local.isConfirmed || !isStored {
            _ = try? records.updateCopy(of: key, by: deadline) { copy in
                _ = copy.state.meet(found.record, epoch: found.epoch)
                copy.confirm()
            }
        }
        feed.note(key, at: found.record?.position, isListed: isListed, for: found.device)
        return StoredRecord(found.record?.content, found.record?.position.revision)
    }

    private func readCopy(
        _ key: RecordKey,
        by deadline: Deadline,
        insteadOf failure: RecordStoreError
    ) throws(RecordStoreError) -> StoredRecord {
        let copy = try records.copy(of: key, by: deadline)
        note(key, isAway: true, asOf: copy.asOf)
        guard copy.state.copy != nil else { throw failure }
        return copy.state.shownRecord
    }

    func note(_ key: RecordKey, isAway: Bool, asOf: Date?) {
        lastReads.withLock { state in
            state.latest = key
            state.reads[key] = .init(isAway: isAway, asOf: asOf)
        }
    }

    // MARK: Status

    /// Returns the local store's status, with this device's part in the fleet and the age of the record that was read
    /// last.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        let local = try records.store.status(by: deadline)
        var status = RecordStoreStatus(
            kind: kind,
            daemon: local.daemon,
            isLocked: local.isLocked,
            isDurable: local.isDurable
        )
        if let device = try records.device(by: deadline) {
            let (key, last) = lastReads.withLock { state in (state.latest, state.latest.flatMap { state.reads[$0] }) }
            // From the copy: a read that began earlier may end after a sign-out.
            let copy = key.flatMap { key in try? records.copy(of: key, by: deadline) }
            status.fleet = FleetStatus(
                device: device.name,
                isAway: last?.isAway ?? false,
                asOf: last?.asOf,
                pendingSignOuts: copy?.state.pendingSignOuts.count ?? 0
            )
        }
        return status
    }

    /// Returns the daemon of the local store.
    public func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try records.store.daemon(by: deadline)
    }

    /// Returns the run of the local store's daemon.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try records.store.daemonRun(by: deadline)
    }

    /// Returns the local store's durability; the server's records are durable.
    public func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        try records.store.isDurableOnAcknowledge(by: deadline)
    }

    /// Prompts the user to unlock the local store, which has the device's keys.
    public func unlock(by deadline: Deadline) throws(RecordStoreError) { try records.store.unlock(by: deadline) }

    /// Creates the local store's collection for the record, or for its copy.
    public func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try records.store.createCollection(for: isShared(key) ? records.copyKey(of: key) : key, by: deadline)
    }

    /// Makes the local store search for every copy of the record.
    public func forgetLocation(of key: RecordKey) {
        records.store.forgetLocation(of: isShared(key) ? records.copyKey(of: key) : key)
    }

    /// Removes duplicates in the local store.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try records.store.repairDuplicates(of: isShared(key) ? records.copyKey(of: key) : key, by: deadline)
    }
}

extension FleetRecordStore: CopyingRecordStore {
    /// Returns the time at which the server confirmed the copy that was last read, if the server was away.
    package func asOf(_ key: RecordKey) -> Date? {
        lastReads.withLock { $0.reads[key].flatMap { $0.isAway ? $0.asOf : nil } }
    }
}

extension StoredRecord {
    init(_ content: UserContent?, _ revision: Revision?) {
        guard let content, let revision else {
            self = .none
            return
        }
        self = .whole(Record(payload: content.payload, revision: revision))
    }
}

extension FleetState<UserContent> {
    /// The record to show while the server is away. Each sign-out meanwhile gives it another revision.
    var shownRecord: StoredRecord {
        let pending = UInt64(pendingSignOuts.count)
        let revision = copy?.position.revision
        return StoredRecord(
            shown,
            revision.map { Revision(counter: $0.counter &+ pending, nonce: $0.nonce &+ pending) }
        )
    }
}

extension Deadline {
    /// A deadline that leaves time for a read of the local store.
    var leavingTimeForCopy: Deadline { atMost(remaining * 3 / 4) }
}
