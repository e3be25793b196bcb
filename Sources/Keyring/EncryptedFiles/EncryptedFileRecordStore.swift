package import DesktopSupport
public import SharedAuthRecords
internal import Synchronization

/// Stores records in encrypted files, one each, in a directory that apps of one user share, for machines without a
/// Secret Service.
///
/// Records are sealed with AES-256-GCM. A record is replaced in one step, and is on disk when a call returns. The store
/// protects against theft of the disk, not against another program of the same user that can read the key. The
/// directory must belong to the user with mode 700, on a local file system; it is created by the first write, lock or
/// watch.
public final class EncryptedFileRecordStore: RecordStore {
    let path: String
    let revisions: RevisionSource
    let steps: FileStepInterceptor
    let opened: OpenedStore
    /// Indicates whether the search for temporary files of dead processes has taken place.
    let hasSwept = Atomic<Bool>(false)
    fileprivate let locks: FileLock
    private let notifications: InotifyCalls
    private let hub = WatchHub<DirectoryWatch>()

    /// Creates a store in a directory. The default is `$XDG_DATA_HOME/sharedauth/store`, or
    /// `~/.local/share/sharedauth/store`. Opens nothing yet.
    public convenience init(directory: String? = nil, key: FileStoreKey) {
        self.init(directory: directory, key: key, steps: .none)
    }

    /// Creates a store whose file steps tests or `--verbose` can intercept, in a directory or the default one.
    package convenience init(directory: String?, key: FileStoreKey, steps: FileStepInterceptor) {
        self.init(
            directory: directory ?? Self.defaultDirectory,
            key: key,
            steps: steps,
            revisions: .live
        )
    }

    private static var defaultDirectory: String {
        BaseDirectory.path("XDG_DATA_HOME", orInHome: ".local/share") + "/sharedauth/store"
    }

    /// Creates a store with the clock, random numbers and notifications of a test.
    init(
        directory: String,
        key: FileStoreKey,
        steps: FileStepInterceptor = .none,
        revisions: RevisionSource = .live,
        notifications: InotifyCalls = .live
    ) {
        path = directory
        self.steps = steps
        self.revisions = revisions
        opened = OpenedStore(path: directory, key: key)
        locks = FileLock(directory: "\(directory)/locks")
        self.notifications = notifications
    }

    /// The kind for encrypted files.
    public var kind: RecordStoreKind { .encryptedFile }

    /// Returns the kind, and that the store is not locked. Only a read shows whether the files can be opened.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        RecordStoreStatus(kind: kind, isLocked: false)
    }

    /// Reads the record stored under `key`; writes nothing.
    public func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        try opened.requireKey()
        guard let directory = try openDirectory() else { return .none }
        return try find(key, in: directory, try opened.cipher(in: directory, by: deadline))
    }

    /// Changes the record while no other process can.
    @discardableResult
    public func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let lock = try acquire("lock", for: key, by: deadline)
        defer { lock.release() }
        guard let directory = try StoreDirectory.open(path, steps: steps) else {
            throw .gone(path)
        }
        let cipher = try opened.cipher(in: directory, by: deadline)
        try directory.sweep(key.fileName)
        sweepOthers(in: directory)
        let stored = try find(key, in: directory, cipher)
        let change = decide(stored)
        if let refusal = stored.refusal(of: change, of: key) { throw refusal }
        return try carryOut(change, on: stored, key, in: directory, cipher, by: deadline)
    }

    /// Checks that the file system takes a file as large as the record with another user in it. Creates the store's
    /// directory if it has never existed.
    public func checkWritable(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try makeDirectory()
        guard let directory = try openDirectory() else { throw .gone(path) }
        let present = try directory.identity(of: key.fileName).map { Int($0.size) } ?? 0
        try directory.checkRoom(for: present + Self.sizeOfUser)
    }

    /// The number of bytes by which a sign-in makes a file larger, or less.
    private static let sizeOfUser = 8 << 10

    /// Waits for the lock of this name. Creates the store's directory if it has never existed.
    public func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        try makeDirectory()
        return try lock(key.lockName("org.sharedauth.\(name)"), by: deadline)
    }

    /// Does nothing, because the files are never locked.
    public func unlock(by deadline: Deadline) throws(RecordStoreError) {}

    /// Watches a key. Creates the store's directory if it has never existed.
    public func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try makeDirectory()
        do throws(SystemError) {
            return try hub.watch(key, handler) { number throws(SystemError) in
                try DirectoryWatch(path, notifications) { [weak self] events in
                    for event in events { self?.take(event, from: number) }
                }
            }.watch
        } catch {
            throw InotifyCalls.limitReached(error)
                ?? RecordStoreError(error, "Could not watch the store", path)
        }
    }

    /// Handles an event reported by the directory watch of this number.
    private func take(_ event: DirectoryWatch.Event, from number: UInt64) {
        switch event {
        case .entry(StoreHeader.name), .everything: hub.tell(.changed)
        case .entry(let name): hub.tell(.changed) { $0.fileName == name }
        case .vanished: hub.tell(.storeVanished)
        case .appeared: hub.tell(.storeAppeared)
        case .closed:
            hub.end(number)
            hub.tell(.closed)
        }
    }

    /// Waits for a lock of the store. A process that dies releases its locks.
    func lock(_ name: String, by deadline: Deadline) throws(RecordStoreError) -> any RecordLock {
        do {
            return try locks.acquire(name, by: deadline).lock
        } catch {
            throw RecordStoreError(error.code, error.message, remedy: error.remedy ?? "Try again.", underlying: error)
        }
    }

    private func find(
        _ key: RecordKey,
        in directory: borrowing StoreDirectory,
        _ cipher: RecordCipher?
    ) throws(RecordStoreError) -> StoredRecord {
        // Without a header there is no record either.
        guard let cipher else { return .none }
        return switch try directory.read(key.fileName) {
        case .none: .none
        case .unusable(let reason): .damaged(reason)
        case .bytes(let bytes): cipher.open(bytes, for: key)
        }
    }

    /// Opens the directory; nil if it has never existed.
    ///
    /// - Throws: `unavailable` if this process has used the store and it is gone.
    func openDirectory() throws(RecordStoreError) -> StoreDirectory? {
        try opened.find { () throws(RecordStoreError) in try StoreDirectory.open(path, steps: steps) }
    }

    /// Creates the directory if it has never existed and the key can be read.
    private func makeDirectory() throws(RecordStoreError) {
        try opened.requireKey()
        if try openDirectory() != nil { return }
        do throws(SystemError) {
            try SmallFile.makeDirectory(path)
        } catch {
            let isDefault = path == Self.defaultDirectory
            let absence = isDefault ? BaseDirectory.absence(without: "XDG_DATA_HOME") : nil
            throw RecordStoreError(
                .unavailable,
                "The directory \(path) of the store cannot be created: \(error).\(absence.map { " \($0)" } ?? "")",
                remedy: isDefault
                    ? "Set XDG_DATA_HOME to a directory that this user can write, or name the store's directory: "
                        + "--store-directory in the tool, or the directory in the app's options."
                    : "Make the directory above it writable, or choose another one for the store.",
                underlying: error
            )
        }
    }
}

extension EncryptedFileRecordStore: LockInspection {
    /// Returns the holder of the lock of this name; nil if it is free.
    package func holder(
        of name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> LockWait.Holder? {
        try locks.holder(of: key.lockName("org.sharedauth.\(name)"), by: deadline)
    }
}

extension EncryptedFileRecordStore {
    /// Carries out a change on a record that was read. The caller holds the record's lock.
    func carryOut(
        _ change: RecordChange,
        on stored: StoredRecord,
        _ key: RecordKey,
        in directory: borrowing StoreDirectory,
        _ cipher: RecordCipher?,
        by deadline: Deadline
    ) throws(RecordStoreError) -> StoredRecord {
        switch change {
        case .keep:
            return stored
        case .write(let payload), .replaceDamaged(let payload):
            let writer: RecordCipher
            if let cipher { writer = cipher } else { writer = try makeStore(in: directory, by: deadline) }
            let record = Record(payload: payload, revision: revisions.revision(after: stored.revision))
            let bytes = try writer.seal(record, for: key)
            let aside: String?
            switch (change, stored) {
            // An empty record contains nothing to copy.
            case (.write, _), (_, .empty): aside = nil
            default: aside = key.asideName(SetAsideRecord.number(revisions))
            }
            try directory.replace(key.fileName, with: bytes, keeping: aside)
            if aside != nil { trimSetAside(of: key, in: directory) }
            return .whole(record)
        case .delete:
            try directory.remove(key.fileName)
            return .none
        case .removeDamaged:
            if case .empty = stored {
                try directory.remove(key.fileName)
                return .none
            }
            try directory.move(key.fileName, to: key.asideName(SetAsideRecord.number(revisions)))
            trimSetAside(of: key, in: directory)
            return .none
        }
    }

    /// Removes temporary files of other processes that died during a write, once per store. Keeps files that a process
    /// is writing now.
    func sweepOthers(in directory: borrowing StoreDirectory) {
        guard !hasSwept.exchange(true, ordering: .relaxed), let leftovers = try? directory.leftovers() else { return }
        for name in leftovers {
            // Only files that the store writes have a lock.
            guard let lockName = Self.lockName(ofFile: name), let lock = try? lock(lockName, by: .after(.zero)) else {
                continue
            }
            try? directory.sweep(name)
            lock.release()
        }
    }

    /// Returns the name of the lock that is held while a file is written; nil for a file that the store does not write.
    private static func lockName(ofFile name: String) -> String? {
        if name == StoreHeader.name { return headerLock }
        return RecordKey.digest(ofFile: name).map { RecordKey.lockName("org.sharedauth.lock", digest: $0) }
    }

    private static let headerLock = "org.sharedauth.header"

    /// Writes the header of a new store, unless another process was faster.
    private func makeStore(
        in directory: borrowing StoreDirectory,
        by deadline: Deadline
    ) throws(RecordStoreError) -> RecordCipher {
        let lock = try lock(Self.headerLock, by: deadline)
        defer { lock.release() }
        try directory.sweep(StoreHeader.name)
        return try opened.makeHeader(in: directory, by: deadline)
    }
}

extension RecordStoreFactory {
    /// Encrypted files in a directory, for machines without a Secret Service. This store is never chosen automatically.
    ///
    /// The default directory is `$XDG_DATA_HOME/sharedauth/store`, or `~/.local/share/sharedauth/store`. If the
    /// directory or the key cannot be used, the first call throws the error. See ``EncryptedFileRecordStore``.
    public static func encryptedFiles(directory: String? = nil, key: FileStoreKey) -> RecordStoreFactory {
        RecordStoreFactory(.encryptedFile) { EncryptedFileRecordStore(directory: directory, key: key) }
    }
}
