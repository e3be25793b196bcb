internal import FoundationEssentials
internal import Glibc
internal import SecretService
internal import Synchronization

/// The only owner of what an app keeps outside its records: the choice of group, the steps of a switch or migration, and which
/// programs keep the users.
///
/// Each write reads the file, changes what is the writer's own, and puts the result in its place, under a lock next to the
/// file: another process of the app may be at work. A crash leaves the old or the new text, never a mix. The files hold names
/// and revisions, no secret. Without a directory all of it stays in the memory of this process.
final class Journal: Sendable {
    private struct State {
        /// What there is, where there are no files.
        var choice = GroupChoice()
        var keepers = KeeperNotes()
        /// The keepers that this process has noted and not cleared since.
        var noted: [Slot: Set<KeyringDaemon.Kind>] = [:]
        /// The keeper that this process has found in a run of the keyring daemon.
        var found: (run: String, keeper: KeyringDaemon.Kind?)?
        var hasSwept = false
    }

    /// Where the files of one app, project and instance are.
    private struct Place {
        let folder: Folder
        let instance: String
        let lock: FileLock

        var choice: String { "\(instance).json" }
        var steps: String { "\(instance).steps" }
        var keepers: String { "\(instance).providers" }
        /// The path of the choice.
        var path: String { folder.path(of: choice) }
    }

    private let place: Place?
    private let steps: FileStepInterceptor
    private let state = Mutex(State())

    init(
        in folder: Folder?,
        appID: String,
        project: String,
        instance: String,
        steps: FileStepInterceptor = .none
    ) {
        place = folder.map { folder in
            let folder = folder.folder(appID, project)
            return Place(folder: folder, instance: instance, lock: FileLock(in: folder))
        }
        self.steps = steps
    }

    convenience init(
        directory: String?,
        appID: String,
        project: String,
        instance: String,
        steps: FileStepInterceptor = .none
    ) {
        self.init(in: directory.map(Folder.init), appID: appID, project: project, instance: instance, steps: steps)
    }

    /// The file that holds the choice; nil if it is kept in memory.
    var path: String? { place?.path }

    /// The directory that the XDG Base Directory Specification names for state, ours below it.
    static var defaultDirectory: String {
        BaseDirectory.path("XDG_STATE_HOME", orInHome: ".local/state") + "/sharedauth"
    }

    // MARK: The choice and its steps

    /// The choice as it is stored; no file means the own slot.
    ///
    /// - Throws: `stateDirectoryUnusable` if the file cannot be read, is damaged, or is of a newer version.
    func read() throws(AuthError) -> GroupChoice {
        guard let place else { return state.withLock { $0.choice } }
        switch try contents(of: place.choice, place) {
        case .none:
            return stepNotes(place).applied(to: GroupChoice())
        case .bytes(let bytes):
            if let choice = try? JSONDecoder().decode(GroupChoice.self, from: Data(bytes)) {
                return stepNotes(place).applied(to: choice)
            }
        case .unusable:
            break
        }
        throw .damagedJournal(place.path)
    }

    /// Whether a choice was ever stored; where none was, the app is in its own slot.
    var hasChoice: Bool { place.map { $0.folder.contains($0.choice) } ?? true }

    /// Changes the choice; when it returns, the change is on the disk, and so is its name if `isNameSynced`.
    ///
    /// A damaged file is replaced if `replacingDamaged`.
    /// - Throws: `stateDirectoryUnusable`, `timedOut`; the former choice holds then.
    @discardableResult
    func change(
        by deadline: Deadline,
        isNameSynced: Bool = true,
        replacingDamaged: Bool = false,
        _ change: (inout GroupChoice) -> Void
    ) throws(AuthError) -> GroupChoice {
        guard let place else {
            return state.withLock { state in
                change(&state.choice)
                return state.choice
            }
        }
        return try locked(place, by: deadline) { () throws(AuthError) in
            try changeLocked(place, isNameSynced: isNameSynced, replacingDamaged: replacingDamaged, change)
        }
    }

    private func changeLocked(
        _ place: Place,
        isNameSynced: Bool,
        replacingDamaged: Bool = false,
        _ change: (inout GroupChoice) -> Void
    ) throws(AuthError) -> GroupChoice {
        var before: GroupChoice?
        do throws(AuthError) {
            before = try read()
        } catch {
            guard replacingDamaged, error.underlying == nil else { throw error }
        }
        var choice = before ?? GroupChoice()
        change(&choice)
        if choice != before {
            try write(choice, to: place, isNameSynced: isNameSynced)
            // What was noted is part of the choice now.
            place.folder.remove(place.steps)
        }
        return choice
    }

    /// The journal, while no other process of the app can change it.
    struct Hold {
        private let journal: Journal
        private let lock: LockHold?

        fileprivate init(_ journal: Journal, _ lock: LockHold?) {
            (self.journal, self.lock) = (journal, lock)
        }

        /// The choice as it is stored.
        func read() throws(AuthError) -> GroupChoice { try journal.read() }

        /// Changes the choice, without waiting until the file's name is on the disk.
        func change(_ change: (inout GroupChoice) -> Void) throws(AuthError) {
            guard let place = journal.place else { return journal.state.withLock { change(&$0.choice) } }
            _ = try journal.changeLocked(place, isNameSynced: false, change)
        }

        func release() { lock?.lock.release() }
    }

    /// Keeps other processes of the app from changing the journal until the hold is released.
    ///
    /// - Throws: `stateDirectoryUnusable`, `timedOut`.
    func hold(by deadline: Deadline) throws(AuthError) -> Hold {
        Hold(self, try place.map { place throws(AuthError) in try lock(place, by: deadline) })
    }

    /// Removes a finished step from the file. Should that be lost, the next start finds nothing left to do for it.
    func strikeOut(_ step: GroupChoice.Pending, by deadline: Deadline) {
        _ = try? change(by: deadline, isNameSynced: false) { $0.end(step) }
    }

    /// Notes that a step was begun, without waiting for the disk; see ``StepNotes``.
    func noteBegun(_ step: GroupChoice.Pending, by deadline: Deadline) throws(AuthError) {
        guard let place else { return state.withLock { $0.choice.begin(step) } }
        try note(place, by: deadline) { $0.begin(step) }
    }

    /// Notes that a step has ended, without waiting for the disk. Should that be lost, the next start finds nothing left to do
    /// for it.
    func noteEnded(_ step: GroupChoice.Pending, by deadline: Deadline) {
        guard let place else { return state.withLock { $0.choice.end(step) } }
        try? note(place, by: deadline) { $0.end(step) }
    }

    private func note(
        _ place: Place,
        by deadline: Deadline,
        _ change: (inout StepNotes) -> Void
    ) throws(AuthError) {
        try locked(place, by: deadline) { () throws(AuthError) in
            var notes = stepNotes(place)
            change(&notes)
            do {
                try place.folder.replace(place.steps, with: notes.encoded(), durably: false, steps)
            } catch {
                throw .unwritableJournal(place.path, error)
            }
        }
    }

    private func stepNotes(_ place: Place) -> StepNotes {
        bytes(of: place.steps, place).map(StepNotes.init) ?? StepNotes()
    }

    // MARK: Who keeps the users

    /// The keyring daemons that keep a user of a slot; none if its users signed out, or nothing is known.
    func keepers(of slot: Slot) -> [KeyringDaemon.Kind] { keeperNotes()[slot.groupName ?? ""] }

    /// The keyring daemons that keep the user of the slot in use, unless the present one is one of them or is not
    /// known.
    func formerKeepers(besides present: KeyringDaemon.Kind?) -> [KeyringDaemon.Kind] {
        guard let present, let slot = try? read().slot else { return [] }
        let keepers = keepers(of: slot)
        return keepers.contains(present) ? [] : keepers
    }

    /// Whether this process has noted who keeps the present user of a slot.
    func hasNotedKeeper(of slot: Slot) -> Bool { state.withLock { $0.noted[slot] != nil } }

    /// The keeper that was found in this run of the keyring daemon, if it was the last that was looked at.
    func keeper(inRun run: String) -> (run: String, keeper: KeyringDaemon.Kind?)? {
        state.withLock { $0.found?.run == run ? $0.found : nil }
    }

    /// Remembers, for this process, the keeper that was found in a run of the keyring daemon.
    func remember(_ keeper: KeyringDaemon.Kind?, asOfRun run: String) {
        state.withLock { $0.found = (run, keeper) }
    }

    /// Notes one more keyring daemon that keeps a user of a slot.
    ///
    /// A lost note costs only that knowledge, so its errors are ignored.
    func noteKeeper(_ keeper: KeyringDaemon.Kind, of slot: Slot, by deadline: Deadline) {
        let isNew = state.withLock { $0.noted[slot, default: []].insert(keeper).inserted }
        if isNew { changeKeepers(of: slot, by: deadline) { $0.note(keeper, of: $1) } }
    }

    /// Notes that the users of a slot are gone; when it returns, that is on the disk, unless it need not be.
    func clearKeepers(of slot: Slot, by deadline: Deadline, durably: Bool = true) {
        state.withLock { $0.noted[slot] = nil }
        changeKeepers(of: slot, by: deadline, durably: durably) { $0[$1] = [] }
    }

    /// Notes, without waiting for the disk, that a keyring daemon keeps the users who have come to a slot; and that a
    /// slot that they have left has none any more, unless it is nil.
    func noteMoved(
        to slot: Slot,
        keptBy keeper: KeyringDaemon.Kind?,
        leaving former: Slot?,
        by deadline: Deadline
    ) {
        if let keeper { changeKeepers(of: slot, by: deadline, durably: false) { $0.note(keeper, of: $1) } }
        if let former { clearKeepers(of: former, by: deadline, durably: false) }
    }

    private func changeKeepers(
        of slot: Slot,
        by deadline: Deadline,
        durably: Bool = true,
        _ change: (inout KeeperNotes, String) -> Void
    ) {
        let name = slot.groupName ?? ""
        guard let place else { return state.withLock { change(&$0.keepers, name) } }
        let before = keeperNotes()
        var after = before
        change(&after, name)
        if after[name] == before[name] { return }
        try? locked(place, by: deadline) { () throws(AuthError) in
            var notes = keeperNotes()
            change(&notes, name)
            guard let bytes = notes.encoded() else { return }
            _ = try? place.folder.replace(place.keepers, with: bytes, durably: durably, steps)
        }
    }

    private func keeperNotes() -> KeeperNotes {
        guard let place else { return state.withLock { $0.keepers } }
        return bytes(of: place.keepers, place).map(KeeperNotes.init) ?? KeeperNotes()
    }

    /// The bytes of a file of notes, which the choice can do without; nil if it cannot be read.
    private func bytes(of notes: String, _ place: Place) -> [UInt8]? {
        guard case .bytes(let bytes)? = try? contents(of: notes, place) else { return nil }
        return bytes
    }

    // MARK: Files

    /// Runs `body` while no other process of the app changes the files.
    private func locked<Done>(
        _ place: Place,
        by deadline: Deadline,
        _ body: () throws(AuthError) -> Done
    ) throws(AuthError) -> Done {
        let hold = try lock(place, by: deadline)
        defer { hold.lock.release() }
        return try body()
    }

    private func lock(_ place: Place, by deadline: Deadline) throws(AuthError) -> LockHold {
        let hold: LockHold
        do {
            if !place.folder.isThere { try place.folder.make(steps) }
            hold = try place.lock.acquire("\(place.instance).lock", by: deadline)
        } catch let error as RecordStoreError where error.code == .timedOut {
            let who =
                error.lockWait?.sentence(on: "its change of \(place.path)")
                ?? "The lock of \(place.path) was not had in time"
            throw AuthError(
                .timedOut,
                "\(who); nothing was changed.",
                remedy: error.lockWait?.remedy ?? "Try again.",
                underlying: error
            )
        } catch {
            throw .unwritableJournal(place.path, error)
        }
        sweep(place)
        return hold
    }

    /// Removes what processes left that died in the middle of a write; the caller holds the lock.
    private func sweep(_ place: Place) {
        let isFirst = state.withLock { state in
            defer { state.hasSwept = true }
            return !state.hasSwept
        }
        guard isFirst else { return }
        let prefixes = [place.choice, place.keepers, place.steps].map { "\($0)." }
        for name in place.folder.names() {
            guard let prefix = prefixes.first(where: name.hasPrefix),
                name.dropFirst(prefix.count).allSatisfy({ $0.isNumber || $0 == "-" })
            else { continue }
            place.folder.remove(name)
        }
    }

    private func write(_ choice: GroupChoice, to place: Place, isNameSynced: Bool) throws(AuthError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try replace(place, with: Array(try encoder.encode(choice)), isNameSynced: isNameSynced)
        } catch {
            throw .unwritableJournal(place.path, error)
        }
    }

    private func replace(_ place: Place, with bytes: [UInt8], isNameSynced: Bool) throws(SystemError) {
        let former = isNameSynced ? try? contents(of: place.choice, place) : nil
        // A name without its bytes would be an empty file on some file systems after a power failure.
        try place.folder.replace(place.choice, with: bytes, durably: true, steps)
        guard isNameSynced else { return }
        do throws(SystemError) {
            try place.folder.syncNames(steps)
        } catch {
            if let former { putBack(former, at: place) }
            throw error
        }
    }

    /// Puts the former choice back where it is not known whether the new one is on the disk.
    private func putBack(_ former: SmallFile.Contents, at place: Place) {
        switch former {
        case .bytes(let bytes): try? place.folder.replace(place.choice, with: bytes, durably: true, steps)
        case .none: place.folder.remove(place.choice)
        case .unusable: break
        }
    }

    private func contents(of name: String, _ place: Place) throws(AuthError) -> SmallFile.Contents {
        do throws(RecordStoreError) {
            return try place.folder.read(name, atMost: 1 << 20)
        } catch {
            let path = place.folder.path(of: name)
            if error.isOfLink { throw .linkOnTheWay(to: path, error) }
            throw AuthError(
                .stateDirectoryUnusable,
                "The app's choice of access group cannot be read from \(path). Check the file's permissions.",
                underlying: error
            )
        }
    }
}

extension AuthError {
    fileprivate static func damagedJournal(_ path: String) -> AuthError {
        AuthError(
            .stateDirectoryUnusable,
            "The app's choice of access group in \(path) is damaged or of a newer version.",
            remedy: "Choose the group again with useUserAccessGroup, or update this app."
        )
    }

    fileprivate static func unwritableJournal(_ path: String, _ error: any Error) -> AuthError {
        if error.isOfLink { return linkOnTheWay(to: path, error) }
        return AuthError(
            .stateDirectoryUnusable,
            "The app's choice of access group cannot be stored at \(path): \(error).",
            remedy: "Make the directory writable, or set Options.stateDirectory.",
            underlying: error
        )
    }

    fileprivate static func linkOnTheWay(to path: String, _ error: any Error) -> AuthError {
        AuthError(
            .stateDirectoryUnusable,
            "The app's choice of access group at \(path) cannot be used: a symbolic link is in the place of its lock file, or of a "
                + "directory above it. It is in the home of a sandboxed app, which may have put it there. Remove the link.",
            underlying: error
        )
    }
}

extension Error {
    /// Whether a symbolic link was not followed.
    fileprivate var isOfLink: Bool {
        let cause = (self as? RecordStoreError)?.underlying ?? self
        return (cause as? SystemError)?.number == ELOOP
    }
}
