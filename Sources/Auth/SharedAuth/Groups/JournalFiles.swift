internal import Glibc
internal import SecretService
internal import Synchronization

/// The files of one app, project and instance that a ``Journal`` keeps, and the lock that protects their changes.
///
/// After a crash, a file has the old or the new text, never a mix.
final class JournalFiles: Sendable {
    /// A kind of file.
    enum Kind: CaseIterable {
        /// The group choice, with the steps that are part of it.
        case choice
        /// The steps that have begun or ended since the choice was stored.
        case steps
        /// The programs that keep the users.
        case keepers

        var suffix: String {
            switch self {
            case .choice: "json"
            case .steps: "steps"
            case .keepers: "providers"
            }
        }
    }

    private let folder: Folder
    private let instance: String
    private let machine: MachineName?
    private let stamp: @Sendable (Folder, String) throws(SystemError) -> FileStamp?
    private let lock: FileLock
    private let steps: FileStepInterceptor
    private let access: FileAccess
    private let hasSwept = Mutex(false)
    /// The share of this machine, once nothing changes it any more.
    private let finalShare = Mutex<JournalShare?>(nil)

    init(
        in folder: Folder,
        instance: String,
        machine: MachineName?,
        steps: FileStepInterceptor,
        stamp: @escaping @Sendable (Folder, String) throws(SystemError) -> FileStamp?,
        lock: FileLock?,
        access: FileAccess?
    ) {
        self.folder = folder
        self.instance = instance
        self.machine = machine
        self.stamp = stamp
        self.steps = steps
        self.lock = lock ?? FileLock(in: folder)
        self.access = access ?? .shared(to: folder)
    }

    /// The path of the file with the choice.
    var path: String {
        folder.path(of: finalShare.withLock { $0?.writtenName(.choice) } ?? "\(instance).\(Kind.choice.suffix)")
    }

    /// The files that this machine uses.
    private var share: JournalShare {
        if let share = finalShare.withLock({ $0 }) { return share }
        let share = JournalShare.find(in: folder, of: instance, on: machine)
        if share.isFinal { finalShare.withLock { $0 = share } }
        return share
    }

    private func readName(_ kind: Kind) -> String { share.readName(kind) }
    private func writtenName(_ kind: Kind) -> String { share.writtenName(kind) }

    /// Runs work on the files within the time limit of a call.
    ///
    /// - Throws: `timedOut` or `outcomeUnknown` if the file system does not respond, and any error of `body`.
    private func perform<Value: Sendable>(
        on subject: FileAccess.Subject = .files,
        by deadline: Deadline,
        _ body: @escaping @Sendable (FileAccess.Call) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        let outcome = access.perform(on: subject, by: deadline) { call in
            Result { () throws(AuthError) in try body(call) }
        }
        switch outcome {
        case .done(let result): return try result.get()
        case .late: throw .silentFileSystem(of: folder.path)
        case .unknown: throw .silentFileSystem(whileWriting: path)
        }
    }

    // MARK: Reading

    /// Returns whether there are files that a machine reads.
    static func areThere(in folder: Folder, instance: String, machine: MachineName?) -> Bool {
        JournalShare.find(in: folder, of: instance, on: machine).hasFiles(in: folder)
    }

    /// Returns the origin of the files that are read.
    func origin(by deadline: Deadline) throws(AuthError) -> JournalShare.Origin {
        if let share = finalShare.withLock({ $0 }) { return share.origin }
        return try perform(by: deadline) { [self] _ in share.origin }
    }

    func contains(_ kind: Kind, by deadline: Deadline) throws(AuthError) -> Bool {
        try perform(by: deadline) { [self] _ in folder.contains(readName(kind)) }
    }

    /// Returns the stamps of the choice and of the steps noted since, each nil if there is no such file. Returns nil if
    /// they cannot be read; reading a file then gives the reason.
    func stamps(by deadline: Deadline) throws(AuthError) -> [FileStamp?]? {
        try perform(by: deadline) { [self] _ in
            let share = share
            return try? [stamp(folder, share.readName(.choice)), stamp(folder, share.readName(.steps))]
        }
    }

    func contents(of kind: Kind, by deadline: Deadline) throws(AuthError) -> SmallFile.Contents {
        try perform(by: deadline) { [self] _ throws(AuthError) in try contents(of: kind) }
    }

    private func contents(of kind: Kind) throws(AuthError) -> SmallFile.Contents {
        let name = readName(kind)
        do throws(RecordStoreError) {
            return try folder.read(name, atMost: 1 << 20)
        } catch {
            let path = folder.path(of: name)
            if error.isOfLink { throw .linkOnTheWay(to: path, error) }
            throw AuthError(
                .stateDirectoryUnusable,
                "The app's access-group choice cannot be read from \(path).",
                remedy: "Check the file's permissions.",
                underlying: error
            )
        }
    }

    /// Returns the bytes of a file of notes, which is optional; nil if it cannot be read.
    ///
    /// - Throws: `timedOut` if the file system does not respond.
    func notes(_ kind: Kind, by deadline: Deadline) throws(AuthError) -> [UInt8]? {
        try perform(by: deadline) { [self] _ in
            guard case .bytes(let bytes)? = try? contents(of: kind) else { return nil }
            return bytes
        }
    }

    // MARK: Writing

    /// Runs `body` while no other process of the app changes the files.
    func locked<Done>(
        by deadline: Deadline,
        _ body: () throws(AuthError) -> Done
    ) throws(AuthError) -> Done {
        let hold = try hold(by: deadline)
        defer { hold.release() }
        return try body()
    }

    /// Keeps other processes of the app from changing the files until it is released.
    struct Hold {
        fileprivate let lock: LockHold
        fileprivate let access: FileAccess

        func release() { access.perform { lock.lock.release() } }
    }

    /// Keeps other processes of the app from changing the files until the hold is released.
    ///
    /// - Throws: `timedOut` if another process holds the lock until the deadline; `stateDirectoryUnusable`, `storeFull`
    ///   or `fileLocksUnavailable` if the lock file cannot be used.
    func hold(by deadline: Deadline) throws(AuthError) -> Hold {
        let hold = Hold(lock: try acquire(by: deadline), access: access)
        do throws(AuthError) {
            try takeOver(by: deadline)
            try sweep(by: deadline)
        } catch {
            hold.release()
            throw error
        }
        return hold
    }

    private func acquire(by deadline: Deadline) throws(AuthError) -> LockHold {
        try perform(on: .locks, by: deadline) { [self] call throws(AuthError) in
            if let owner = folder.ownerBesidesRoot { throw .journal(path, of: owner) }
            do {
                if !folder.isThere { try folder.make(steps) }
                while true {
                    let name = share.lockName
                    let hold = try lock.acquire(name, by: call.deadline)
                    // Another machine may have taken the files in the meantime.
                    if share.lockName == name { return hold }
                    hold.lock.release()
                }
            } catch let error as RecordStoreError where error.code == .timedOut {
                let who =
                    error.lockWait?.sentence(on: "its change of \(path)")
                    ?? "The lock of \(path) was not acquired in time"
                throw AuthError(
                    .timedOut,
                    "\(who); nothing was changed.",
                    remedy: error.lockWait?.remedy ?? "Try again.",
                    underlying: error
                )
            } catch {
                throw .unwritableJournal(path, error)
            }
        }
    }

    /// Makes the files that are read this machine's own; the caller holds the lock. Nothing remains to be done if they
    /// are.
    private func takeOver(by deadline: Deadline) throws(AuthError) {
        if finalShare.withLock({ $0 != nil }) { return }
        try perform(by: deadline) { [self] call throws(AuthError) in
            let (found, steps) = (share, FileStepInterceptor.none.asking(call.mayChange))
            do throws(SystemError) {
                if found.isUnclaimed, let machine {
                    let name = JournalShare.ownerFile(of: instance)
                    try folder.replace(name, with: Array(machine.text.utf8), durably: false, steps)
                }
                guard found.origin == .otherMachine else { return }
                // Read before the first of them is written: then this machine has files of its own.
                let copies = [Kind.choice, .steps].map { ($0, try? contents(of: $0)) }
                for (kind, contents) in copies {
                    guard case .bytes(let bytes)? = contents else { continue }
                    try folder.replace(found.writtenName(kind), with: bytes, durably: true, steps)
                }
            } catch {
                throw .unwritableJournal(path, error)
            }
        }
    }

    /// Begins files of this machine, unless it has some, and leaves those that were read to the machine that they belong
    /// to.
    func begin(with bytes: [UInt8], by deadline: Deadline) throws(AuthError) {
        let hold = Hold(lock: try acquire(by: deadline), access: access)
        defer { hold.release() }
        try perform(by: deadline) { [self] call throws(AuthError) in
            guard share.origin != .own, let machine else { return }
            let name = "\(JournalShare.name(of: instance, on: machine)).\(Kind.choice.suffix)"
            do throws(SystemError) {
                try folder.replace(name, with: bytes, durably: true, steps.asking(call.mayChange))
            } catch {
                throw .unwritableJournal(path, error)
            }
        }
    }

    /// Replaces the choice with one that includes the noted steps. When it returns, the choice is on the disk, and so
    /// is the file's name if `isNameSynced`.
    func replaceChoice(with bytes: [UInt8], isNameSynced: Bool, by deadline: Deadline)
        throws(AuthError)
    {
        try perform(by: deadline) { [self] call throws(AuthError) in
            let steps = self.steps.asking(call.mayChange)
            try replaceChoice(with: bytes, isNameSynced: isNameSynced, steps)
            guard folder.contains(writtenName(.steps)) else { return }
            folder.remove(writtenName(.steps))
            // The choice includes these steps. After a power failure, steps that have come back would apply to it.
            if isNameSynced { try? folder.syncNames(steps) }
        }
    }

    private func replaceChoice(
        with bytes: [UInt8],
        isNameSynced: Bool,
        _ steps: FileStepInterceptor
    ) throws(AuthError) {
        do throws(SystemError) {
            let former = isNameSynced ? try? contents(of: .choice) : nil
            // If only the name reaches the disk, some file systems have an empty file after a power failure.
            try folder.replace(writtenName(.choice), with: bytes, durably: true, steps)
            guard isNameSynced else { return }
            do throws(SystemError) {
                try folder.syncNames(steps)
            } catch {
                if let former { putBack(former) }
                throw error
            }
        } catch {
            throw .unwritableJournal(path, error)
        }
    }

    /// Puts the former choice back if it is unknown whether the new one is on the disk.
    private func putBack(_ former: SmallFile.Contents) {
        switch former {
        case .bytes(let bytes): try? folder.replace(writtenName(.choice), with: bytes, durably: true, steps)
        case .none: folder.remove(writtenName(.choice))
        case .unusable: break
        }
    }

    /// Replaces a file of notes. When it returns, the bytes are on the disk if `durably`, and so is the file's name if
    /// `isNameSynced`.
    func replace(
        _ kind: Kind,
        with bytes: [UInt8],
        durably: Bool,
        isNameSynced: Bool = false,
        by deadline: Deadline
    ) throws(AuthError) {
        try perform(by: deadline) { [self] call throws(AuthError) in
            do throws(SystemError) {
                try folder.replace(writtenName(kind), with: bytes, durably: durably, steps.asking(call.mayChange))
                if isNameSynced { try folder.syncNames(steps) }
            } catch {
                throw .unwritableJournal(path, error)
            }
        }
    }

    /// Removes files of processes that died during a write; the caller holds the lock.
    private func sweep(by deadline: Deadline) throws(AuthError) {
        let isFirst = hasSwept.withLock { hasSwept in
            defer { hasSwept = true }
            return !hasSwept
        }
        guard isFirst else { return }
        try perform(by: deadline) { [self] _ in
            let suffixes = Kind.allCases.map { writtenName($0) } + [JournalShare.ownerFile(of: instance)]
            let prefixes = suffixes.map { "\($0)." }
            for name in folder.names() {
                guard let prefix = prefixes.first(where: name.hasPrefix),
                    name.dropFirst(prefix.count).allSatisfy({ $0.isNumber || $0 == "-" })
                else { continue }
                folder.remove(name)
            }
        }
    }
}
