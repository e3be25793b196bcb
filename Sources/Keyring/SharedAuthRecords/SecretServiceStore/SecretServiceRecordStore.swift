package import DesktopSupport
public import SecretService
internal import Synchronization

/// Stores records in the desktop's Secret Service, one item each.
///
/// A record is replaced in one step, which also notifies other processes. Reading a record again costs one round trip
/// to the daemon, because the path of its item is cached. Changing it costs one more for the write; the bus grants the
/// lock while the read is in progress.
public final class SecretServiceRecordStore: RecordStore {
    package let service: SecretService
    package let collection: RecordCollection
    let cache = ItemCache()
    let revisions: RevisionSource
    let lock: any CrossProcessLock
    let repairs = Mutex(Repairs())
    let hub = WatchHub<Watch>()

    /// Creates a store on a Secret Service. New records go to this collection. Does not connect yet.
    public convenience init(
        _ service: SecretService,
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic
    ) {
        self.init(service, collection: collection, locking: locking, revisions: .live)
    }

    /// Creates a store with the clock and random numbers of a test.
    init(
        _ service: SecretService,
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic,
        revisions: RevisionSource
    ) {
        self.service = service
        self.collection = collection
        self.revisions = revisions
        lock = locking.makeLock(on: service)
    }

    /// The Secret Service.
    public var kind: RecordStoreKind { .secretService }

    /// Reads the record stored under `key`; writes nothing.
    public func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        do {
            return try lookUp(key, by: deadline).stored
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Changes the record while no other process can.
    @discardableResult
    public func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let (hold, found) = try lock.acquire(key.lockName("org.sharedauth.lock"), by: deadline) {
            Result { () throws(SecretServiceError) in try lookUp(key, by: deadline) }
        }
        defer { hold.lock.release() }
        var result: LookupResult
        do {
            result = try found.get()
        } catch {
            throw RecordStoreError(error)
        }
        // Without a shared lock another process may write at the same time, so the write must replace an existing item.
        if !hold.isShared { result.isAlone = false }
        let change = decide(result.stored)
        if let refusal = result.stored.refusal(of: change, of: key) { throw refusal }
        let stored: StoredRecord
        do {
            stored = try hold.whileHeld { () throws(SecretServiceError) in
                try carryOut(change, on: result, key, by: deadline)
            }
            if hold.isShared { return stored }
        } catch {
            throw RecordStoreError(error)
        }
        try confirm(stored, after: change, key, by: deadline)
        return stored
    }

    /// Waits for the lock of this name.
    public func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        try lock.acquire(key.lockName("org.sharedauth.\(name)"), by: deadline).lock
    }

    /// Without a lock shared by all processes, checks whether another process wrote at the same time.
    private func confirm(
        _ stored: StoredRecord,
        after change: RecordChange,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) {
        if case .keep = change { return }
        let found: StoredRecord
        do {
            found = try read(key, by: deadline)
        } catch {
            throw RecordStoreError(error.code, error.message, outcomeIsUnknown: true, underlying: error)
        }
        if found.revision == stored.revision { return }
        throw RecordStoreError(
            .conflict,
            "Another process changed \(key) at the same time; the sandbox prevents sharing a lock with it.",
            remedy: "Read the record again and retry; also allow the app to own the bus names org.sharedauth.*"
        )
    }
}

extension SecretServiceRecordStore: LockInspection {
    /// Returns the holder of the lock of this name; nil if it is free.
    package func holder(
        of name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> LockWait.Holder? {
        try lock.holder(of: key.lockName("org.sharedauth.\(name)"), by: deadline)
    }
}

extension SecretServiceRecordStore {
    /// Returns which program provides the Secret Service, and whether its default collection is locked.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        let asked: SentRequest<(collection: SecretCollection, isLocked: Bool)>? =
            switch collection {
            case .named: nil
            default: try? service.askForDefaultCollection(identifying: false, by: deadline)
            }
        let daemon = try present(by: deadline)
        // Even without a collection, or if the daemon hangs, the daemon can be named.
        let isLocked: Bool? =
            if let asked, let found = try? asked.answer(by: deadline) {
                found.isLocked && !opensUnasked([found.collection], by: deadline)
            } else {
                asked == nil ? try? staysLocked(home(by: deadline), by: deadline) : nil
            }
        return RecordStoreStatus(
            kind: kind,
            daemon: daemon.programName,
            isLocked: isLocked,
            isDurable: daemon.isDurable
        )
    }

    /// Returns whether the daemon that responded last writes data to disk before it acknowledges a write; false if this
    /// is unknown.
    public func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        try answering(by: deadline).isDurable ?? false
    }

    /// Returns the name of the daemon that responded last. Queries the bus once for each new daemon, and on each call
    /// for a program that owns no bus name of a known keyring daemon.
    public func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try answering(by: deadline).programName
    }

    /// Returns an identifier of the run of the daemon that responded last.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? {
        if let answering = service.answeringInstanceID { return answering }
        return try present(by: deadline).instanceID
    }

    /// Returns the daemon that responded last, or the present daemon if none has responded yet.
    private func answering(by deadline: Deadline) throws(RecordStoreError) -> KeyringDaemon {
        do throws(SecretServiceError) {
            if let answering = try service.answeringDaemon(by: deadline) { return answering }
            return try service.daemon(by: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }

    private func present(by deadline: Deadline) throws(RecordStoreError) -> KeyringDaemon {
        do {
            return try service.daemon(by: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }
}

extension SecretServiceRecordStore {
    /// Returns whether every process that reaches the same records respects this store's lock. Takes the lock to find
    /// out.
    package func sharesLocks(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> Bool {
        let hold = try lock.acquire(key.lockName("org.sharedauth.lock"), by: deadline)
        defer { hold.lock.release() }
        return hold.isShared
    }
}

extension RecordStoreError {
    /// Creates the error for a failure of the Secret Service.
    package init(_ error: SecretServiceError) {
        switch error.circumstance {
        case .waited(let wait)?: self.init(wait)
        case .muteBus?: self.init(muteBus: error)
        case .lostLock?: self.init(lostLock: error)
        case .refusingBus?, .livingBus?, .unloadedFile?, .unansweredPrompt?, nil: self.init(code: error)
        }
    }

    private init(muteBus error: SecretServiceError) {
        self.init(
            .timedOut,
            "The message bus did not answer in time.",
            remedy: "Try again; if the problem persists, log out and in.",
            underlying: error
        )
    }

    private init(lostLock error: SecretServiceError) {
        self.init(
            .conflict,
            "The message bus closed the connection that held the lock, so another process may have changed the record; "
                + "nothing was written.",
            underlying: error
        )
    }

    private init(code error: SecretServiceError) {
        let code: Code =
            switch error.code {
            case .noSessionBus, .busClosed, .noDaemon, .noDefaultCollection, .noSuchCollection: .unavailable
            case .locked: .locked
            case .dismissed: .dismissed
            case .timedOut: .timedOut
            case .denied: .denied
            default: .failed
            }
        let remedy: String? =
            switch error.code {
            case .noSuchCollection:
                "Create it with createCollection(), which prompts the user, or in the keyring application."
            // The remedy for the caller of a record differs from the remedy for the caller of the Secret Service.
            case .locked, .timedOut: nil
            case _ where error.outcomeIsUnknown: nil
            default: error.remedy
            }
        let message =
            switch error.code {
            // The name of the pending request is of no use to users; the underlying error has it.
            case .timedOut where error.circumstance == nil && !error.outcomeIsUnknown: "The keyring does not answer."
            case .timedOut where error.circumstance == nil:
                "The keyring does not answer, so it is not known whether the change was made."
            default: error.message
            }
        self.init(
            code,
            message,
            remedy: remedy,
            outcomeIsUnknown: error.outcomeIsUnknown,
            underlying: error
        )
    }
}
