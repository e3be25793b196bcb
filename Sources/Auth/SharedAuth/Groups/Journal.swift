internal import FoundationEssentials
internal import SecretService
internal import Synchronization

/// Keeps an app's data outside its records: the group choice, the steps of a switch or migration, and the programs
/// that keep the users. Nothing else reads or writes these files.
///
/// Each write reads the file, changes the writer's own part and replaces the file, under a lock next to the file,
/// because another process of the app may write at the same time. The files hold names and revisions, and no secret.
/// Without a directory, all of it stays in the memory of this process.
final class Journal: Sendable {
    /// The keepers of a slot's user that this process has noted.
    struct NotedKeepers: Equatable {
        var daemons: Set<KeyringDaemon.Kind> = []
        var collection = UserCollection.unknown
    }

    struct State {
        /// The choice, if there are no files.
        var choice = GroupChoice()
        var keepers = KeeperNotes()
        /// The choice that was read last, and the stamps of the files that it was read from.
        var known: (choice: GroupChoice, stamps: [FileStamp?])?
        /// The keepers that this process has noted and not cleared since.
        var noted: [Slot: NotedKeepers] = [:]
        /// The keeper that this process has found in a run of the keyring daemon.
        var found: (run: String, keeper: KeyringDaemon.Kind?)?
    }

    let files: JournalFiles?
    let state = Mutex(State())
    private let clock: @Sendable () -> Date

    init(
        in folder: Folder?,
        appID: String,
        project: String,
        instance: String,
        machine: MachineName? = .current,
        steps: FileStepInterceptor = .none,
        stamp: @escaping @Sendable (Folder, String) throws(SystemError) -> FileStamp? = Journal.stamp,
        lock: FileLock? = nil,
        access: FileAccess? = nil,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        files = folder.map { folder in
            JournalFiles(
                in: folder.folder(appID, project),
                instance: instance,
                machine: machine,
                steps: steps,
                stamp: stamp,
                lock: lock,
                access: access
            )
        }
        self.clock = clock
    }

    /// Returns the stamp of a file.
    static let stamp: @Sendable (Folder, String) throws(SystemError) -> FileStamp? = {
        folder,
        name throws(SystemError) in
        try folder.stamp(of: name)
    }

    /// The path of the file with the choice; nil if the choice is kept in memory.
    var path: String? { files?.path }

    /// The directory `sharedauth` in the state directory of the XDG Base Directory Specification.
    static var defaultDirectory: String {
        BaseDirectory.path("XDG_STATE_HOME", orInHome: ".local/state") + "/sharedauth"
    }

    /// The maximum number of times that a choice is read again because it changed during the read.
    private static let attempts = 5

    // MARK: The choice

    /// Returns the stored choice; without a file, the app's own slot. A choice that has not changed since the last read
    /// is not read again.
    ///
    /// - Throws: `stateDirectoryUnusable` if the file cannot be read, is damaged, or is of a newer version; `timedOut`
    ///   if a network file system does not respond.
    func read(by deadline: Deadline) throws(AuthError) -> GroupChoice {
        guard let files else { return state.withLock { $0.choice } }
        return try look(files, by: deadline).choice
    }

    /// Returns the choice, and whether its files were read as they were at one moment. Such a read is consistent
    /// without a writer's lock.
    ///
    /// - Parameter isFresh: whether to open the files in any case. A network file system answers the question for a stamp
    ///   from its memory, and looks at the server when a file is opened.
    private func look(
        _ files: JournalFiles,
        isFresh: Bool = false,
        by deadline: Deadline
    ) throws(AuthError) -> (choice: GroupChoice, isOfOneMoment: Bool) {
        for _ in 1...Self.attempts {
            let moment = clock()
            guard let stamps = try files.stamps(by: deadline) else { break }
            if !isFresh, let known = state.withLock({ $0.known }), known.stamps == stamps {
                return (known.choice, true)
            }
            let choice = try decode(files, by: deadline)
            guard let after = try files.stamps(by: deadline), after == stamps else { continue }
            if stamps.allSatisfy({ $0?.isSettled(at: moment) ?? true }) {
                state.withLock { $0.known = (choice, stamps) }
            }
            return (choice, true)
        }
        return (try decode(files, by: deadline), false)
    }

    private func decode(_ files: JournalFiles, by deadline: Deadline) throws(AuthError) -> GroupChoice {
        switch try files.contents(of: .choice, by: deadline) {
        case .none:
            return try stepNotes(files, by: deadline).applied(to: GroupChoice())
        case .bytes(let bytes):
            if let choice = try? UntrustedJSON.decode(GroupChoice.self, from: bytes) {
                return try stepNotes(files, by: deadline).applied(to: choice)
            }
        case .unusable:
            break
        }
        throw .damagedJournal(files.path)
    }

    /// Returns whether a choice was ever stored; true if it is kept in memory. Without a choice, the app is in its own
    /// slot.
    ///
    /// - Throws: `timedOut` if a network file system does not respond.
    func hasChoice(by deadline: Deadline) throws(AuthError) -> Bool {
        try files?.contains(.choice, by: deadline) ?? true
    }

    /// Changes the choice. When it returns, the change is on the disk, and so is the file's name if `isNameSynced`. A
    /// change without effect takes no lock and writes nothing.
    ///
    /// A damaged file is replaced if `replacingDamaged`.
    /// - Parameter change: makes the change. It may be called twice; the last result counts.
    /// - Throws: `stateDirectoryUnusable`, `storeFull`, `fileLocksUnavailable` or `timedOut`, and the former choice
    ///   remains; `outcomeUnknown` if a network file system does not respond during the write.
    @discardableResult
    func change(
        by deadline: Deadline,
        isNameSynced: Bool = true,
        replacingDamaged: Bool = false,
        _ change: (inout GroupChoice) -> Void
    ) throws(AuthError) -> GroupChoice {
        if let files, let present = try? look(files, isFresh: true, by: deadline), present.isOfOneMoment {
            var choice = present.choice
            change(&choice)
            if choice == present.choice { return choice }
        }
        return try changeLocked(by: deadline, isNameSynced: isNameSynced, replacingDamaged: replacingDamaged, change)
    }

    /// Changes the choice as `change(by:_:)` does, and does not look first whether the change has an effect.
    @discardableResult
    func changeLocked(
        by deadline: Deadline,
        isNameSynced: Bool = true,
        replacingDamaged: Bool = false,
        _ change: (inout GroupChoice) -> Void
    ) throws(AuthError) -> GroupChoice {
        guard let files else {
            return state.withLock { state in
                change(&state.choice)
                return state.choice
            }
        }
        return try files.locked(by: deadline) { () throws(AuthError) in
            try changeHeld(
                files,
                isNameSynced: isNameSynced,
                replacingDamaged: replacingDamaged,
                by: deadline,
                change
            )
        }
    }

    /// Changes the choice; the caller holds the lock of the files.
    private func changeHeld(
        _ files: JournalFiles,
        isNameSynced: Bool,
        replacingDamaged: Bool = false,
        by deadline: Deadline,
        _ change: (inout GroupChoice) -> Void
    ) throws(AuthError) -> GroupChoice {
        var before: GroupChoice?
        do throws(AuthError) {
            before = try decode(files, by: deadline)
        } catch {
            guard replacingDamaged, error.underlying == nil else { throw error }
        }
        var choice = before ?? GroupChoice()
        change(&choice)
        if choice != before {
            try files.replaceChoice(with: encoded(choice, for: files), isNameSynced: isNameSynced, by: deadline)
        }
        return choice
    }

    /// Returns the origin of what is read.
    ///
    /// - Throws: `timedOut` if a network file system does not respond.
    func origin(by deadline: Deadline) throws(AuthError) -> JournalShare.Origin {
        try files?.origin(by: deadline) ?? .own
    }

    /// Makes what is read this machine's own, as each write does.
    ///
    /// - Throws: as `change(by:_:)`.
    func takeOver(by deadline: Deadline) throws(AuthError) {
        try files?.hold(by: deadline).release()
    }

    /// Begins a journal of this machine without a choice, and leaves the one that was read as it is.
    ///
    /// - Throws: as `change(by:_:)`.
    func begin(by deadline: Deadline) throws(AuthError) {
        guard let files else { return }
        try files.begin(with: encoded(GroupChoice(), for: files), by: deadline)
    }

    /// A hold on the journal, which keeps other processes of the app from changing it.
    struct Hold {
        fileprivate let journal: Journal
        fileprivate let files: JournalFiles.Hold?

        /// Changes the choice without waiting until the file's name is on the disk.
        func change(by deadline: Deadline, _ change: (inout GroupChoice) -> Void) throws(AuthError) {
            guard let files = journal.files else { return journal.state.withLock { change(&$0.choice) } }
            _ = try journal.changeHeld(files, isNameSynced: false, by: deadline, change)
        }

        /// Notes that a step has ended, as the journal does.
        func noteEnded(_ step: GroupChoice.Pending, by deadline: Deadline) {
            guard let files = journal.files else { return journal.state.withLock { $0.choice.end(step) } }
            try? journal.noteHeld(files, durably: false, by: deadline) { $0.end(step) }
        }

        func release() { files?.release() }
    }

    /// Keeps other processes of the app from changing the journal until the hold is released.
    ///
    /// - Throws: as `change(by:_:)`.
    func hold(by deadline: Deadline) throws(AuthError) -> Hold {
        guard let files else { return Hold(journal: self, files: nil) }
        return Hold(journal: self, files: try files.hold(by: deadline))
    }

    private func encoded(_ choice: GroupChoice, for files: JournalFiles) throws(AuthError) -> [UInt8] {
        do {
            return try StableJSON.encode(choice, escapingSlashes: true)
        } catch {
            throw .unwritableJournal(files.path, error)
        }
    }

    // MARK: Its steps

    /// Removes a finished step from the file. If the removal is lost, the next start finds nothing left to do for the
    /// step.
    func strikeOut(_ step: GroupChoice.Pending, by deadline: Deadline) {
        _ = try? change(by: deadline, isNameSynced: false) { $0.end(step) }
    }

    /// Notes that steps have begun. When it returns, the note is on the disk: a copy that is made afterwards is never
    /// there without it.
    ///
    /// - Throws: as `change(by:_:)`.
    func noteBegun(_ steps: [GroupChoice.Pending], by deadline: Deadline) throws(AuthError) {
        guard let files else {
            return state.withLock { state in
                for step in steps { state.choice.begin(step) }
            }
        }
        try note(files, durably: true, by: deadline) { notes in
            for step in steps { notes.begin(step) }
        }
    }

    /// Notes that a step has ended, without waiting for the disk. If the note is lost, the next start finds nothing
    /// left to do for the step.
    func noteEnded(_ step: GroupChoice.Pending, by deadline: Deadline) {
        guard let files else { return state.withLock { $0.choice.end(step) } }
        try? note(files, durably: false, by: deadline) { $0.end(step) }
    }

    private func note(
        _ files: JournalFiles,
        durably: Bool,
        by deadline: Deadline,
        _ change: (inout StepNotes) -> Void
    ) throws(AuthError) {
        try files.locked(by: deadline) { () throws(AuthError) in
            try noteHeld(files, durably: durably, by: deadline, change)
        }
    }

    /// Changes the notes of steps; the caller holds the lock of the files.
    private func noteHeld(
        _ files: JournalFiles,
        durably: Bool,
        by deadline: Deadline,
        _ change: (inout StepNotes) -> Void
    ) throws(AuthError) {
        var notes = try stepNotes(files, by: deadline)
        change(&notes)
        let bytes: [UInt8]
        do {
            bytes = try notes.encoded()
        } catch {
            throw .unwritableJournal(files.path, error)
        }
        try files.replace(.steps, with: bytes, durably: durably, isNameSynced: durably, by: deadline)
    }

    private func stepNotes(_ files: JournalFiles, by deadline: Deadline) throws(AuthError) -> StepNotes {
        try files.notes(.steps, by: deadline).map(StepNotes.init) ?? StepNotes()
    }
}

extension AuthError {
    fileprivate static func damagedJournal(_ path: String) -> AuthError {
        AuthError(
            .stateDirectoryUnusable,
            "The app's access-group choice in \(path) is damaged or of a newer version.",
            remedy: "Choose the group again with useUserAccessGroup, or update this app."
        )
    }
}
