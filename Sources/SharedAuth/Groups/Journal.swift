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
        /// The deletions that this process has begun, or found at its start, and has not finished.
        var deletions: [GroupChoice.Pending] = []
        /// The keepers that this process has noted and not cleared since.
        var noted: [Slot: Set<KeyringDaemon.Kind>] = [:]
        /// The keeper that this process has found in a run of the keyring daemon.
        var found: (run: String, keeper: KeyringDaemon.Kind?)?
        var hasSwept = false
    }

    /// The file that holds the choice; nil if it is kept in memory.
    let path: String?
    private let lock: FileLock?
    private let steps: FileStepInterceptor
    private let state = Mutex(State())

    init(
        directory: String?,
        appID: String,
        project: String,
        instance: String,
        steps: FileStepInterceptor = .none
    ) {
        path = directory.map { "\($0)/\(appID)/\(project)/\(instance).json" }
        lock = directory.map { FileLock(directory: "\($0)/\(appID)/\(project)") }
        self.steps = steps
    }

    /// The directory that the XDG Base Directory Specification names for state, ours below it.
    static var defaultDirectory: String {
        BaseDirectory.path("XDG_STATE_HOME", orInHome: ".local/state") + "/sharedauth"
    }

    // MARK: The choice and its steps

    /// The choice as it is stored; no file means the own slot.
    ///
    /// - Throws: `stateDirectoryUnusable` if the file cannot be read, is damaged, or is of a newer version.
    func read() throws(AuthError) -> GroupChoice {
        guard let path else { return state.withLock { $0.choice } }
        switch try contents(of: path) {
        case .none:
            return stepNotes(path).applied(to: GroupChoice())
        case .bytes(let bytes):
            if let choice = try? JSONDecoder().decode(GroupChoice.self, from: Data(bytes)) {
                return stepNotes(path).applied(to: choice)
            }
        case .unusable:
            break
        }
        throw .damagedJournal(path)
    }

    /// Whether a choice was ever stored; where none was, the app is in its own slot.
    var hasChoice: Bool { path.map { FileManager.default.fileExists(atPath: $0) } ?? true }

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
        guard let path else {
            return state.withLock { state in
                change(&state.choice)
                return state.choice
            }
        }
        return try locked(path, by: deadline) { () throws(AuthError) in
            var before: GroupChoice?
            do throws(AuthError) {
                before = try read()
            } catch {
                guard replacingDamaged, error.underlying == nil else { throw error }
            }
            var choice = before ?? GroupChoice()
            change(&choice)
            if choice != before {
                try write(choice, to: path, isNameSynced: isNameSynced)
                // What was noted is part of the choice now.
                unsafe unlink(notesPath(path))
            }
            return choice
        }
    }

    /// The deletions that are this process's to finish.
    var deletions: [GroupChoice.Pending] { state.withLock { $0.deletions } }

    /// Makes a deletion that is stored already this process's to finish.
    func adopt(_ deletion: GroupChoice.Pending) {
        state.withLock { if !$0.deletions.contains(deletion) { $0.deletions.append(deletion) } }
    }

    /// A deletion is done, or called off: it is this process's no longer. ``strikeOut(_:by:)`` removes it from the file.
    func drop(_ deletion: GroupChoice.Pending) {
        state.withLock { $0.deletions.removeAll { $0 == deletion } }
    }

    /// Removes a finished step from the file. Should that be lost, the next start finds nothing left to do for it.
    func strikeOut(_ step: GroupChoice.Pending, by deadline: Deadline) {
        drop(step)
        _ = try? change(by: deadline, isNameSynced: false) { $0.end(step) }
    }

    /// Notes that a step was begun, without waiting for the disk; see ``StepNotes``.
    func noteBegun(_ step: GroupChoice.Pending, by deadline: Deadline) throws(AuthError) {
        guard let path else { return state.withLock { $0.choice.begin(step) } }
        try note(path, by: deadline) { $0.begin(step) }
    }

    /// Notes that a step has ended, without waiting for the disk. Should that be lost, the next start finds nothing left to do
    /// for it.
    func noteEnded(_ step: GroupChoice.Pending, by deadline: Deadline) {
        drop(step)
        guard let path else { return state.withLock { $0.choice.end(step) } }
        try? note(path, by: deadline) { $0.end(step) }
    }

    private func note(
        _ path: String,
        by deadline: Deadline,
        _ change: (inout StepNotes) -> Void
    ) throws(AuthError) {
        try locked(path, by: deadline) { () throws(AuthError) in
            var notes = stepNotes(path)
            change(&notes)
            do {
                try SmallFile.replace(notesPath(path), with: notes.encoded(), durably: false, steps)
            } catch {
                throw .unwritableJournal(path, error)
            }
        }
    }

    private func stepNotes(_ path: String) -> StepNotes {
        bytes(of: notesPath(path)).map(StepNotes.init) ?? StepNotes()
    }

    private func notesPath(_ path: String) -> String { path.dropLast(".json".count) + ".steps" }

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
        guard let path else { return state.withLock { change(&$0.keepers, name) } }
        let before = keeperNotes()
        var after = before
        change(&after, name)
        if after[name] == before[name] { return }
        try? locked(path, by: deadline) { () throws(AuthError) in
            var notes = keeperNotes()
            change(&notes, name)
            guard let bytes = notes.encoded() else { return }
            _ = try? SmallFile.replace(keepersPath(path), with: bytes, durably: durably, steps)
        }
    }

    private func keeperNotes() -> KeeperNotes {
        guard let path else { return state.withLock { $0.keepers } }
        return bytes(of: keepersPath(path)).map(KeeperNotes.init) ?? KeeperNotes()
    }

    private func keepersPath(_ path: String) -> String { path.dropLast(".json".count) + ".providers" }

    /// The bytes of a file of notes, which the choice can do without; nil if it cannot be read.
    private func bytes(of notes: String) -> [UInt8]? {
        guard case .bytes(let bytes)? = try? contents(of: notes) else { return nil }
        return bytes
    }

    // MARK: Files

    /// Runs `body` while no other process of the app changes the files.
    private func locked<Done>(
        _ path: String,
        by deadline: Deadline,
        _ body: () throws(AuthError) -> Done
    ) throws(AuthError) -> Done {
        let hold: LockHold?
        do {
            let directory = SmallFile.directory(of: path)
            if !FileManager.default.fileExists(atPath: directory) { try SmallFile.makeDirectory(directory, steps) }
            let name = path.dropFirst(directory.count + 1).dropLast(".json".count)
            hold = try lock?.acquire("\(name).lock", by: deadline)
        } catch let error as RecordStoreError where error.code == .timedOut {
            throw AuthError(
                .timedOut,
                "Another process of this app did not end its change of \(path) in time; nothing was changed. Try again.",
                underlying: error
            )
        } catch {
            throw .unwritableJournal(path, error)
        }
        defer { hold?.lock.release() }
        sweep(path)
        return try body()
    }

    /// Removes what processes left that died in the middle of a write; the caller holds the lock.
    private func sweep(_ path: String) {
        let isFirst = state.withLock { state in
            defer { state.hasSwept = true }
            return !state.hasSwept
        }
        guard isFirst else { return }
        let directory = SmallFile.directory(of: path)
        let stem = path.dropFirst(directory.count + 1).dropLast(".json".count)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names {
            guard let prefix = ["\(stem).json.", "\(stem).providers.", "\(stem).steps."].first(where: name.hasPrefix),
                name.dropFirst(prefix.count).allSatisfy({ $0.isNumber || $0 == "-" })
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }

    private func write(_ choice: GroupChoice, to path: String, isNameSynced: Bool) throws(AuthError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try replace(path, with: Array(try encoder.encode(choice)), isNameSynced: isNameSynced)
        } catch {
            throw .unwritableJournal(path, error)
        }
    }

    private func replace(_ path: String, with bytes: [UInt8], isNameSynced: Bool) throws(SystemError) {
        let former = isNameSynced ? try? contents(of: path) : nil
        // A name without its bytes would be an empty file on some file systems after a power failure.
        try SmallFile.replace(path, with: bytes, durably: true, steps)
        guard isNameSynced else { return }
        do throws(SystemError) {
            try SmallFile.syncNames(in: SmallFile.directory(of: path), steps)
        } catch {
            if let former { putBack(former, at: path) }
            throw error
        }
    }

    /// Puts the former choice back where it is not known whether the new one is on the disk.
    private func putBack(_ former: SmallFile.Contents, at path: String) {
        switch former {
        case .bytes(let bytes): try? SmallFile.replace(path, with: bytes, durably: true, steps)
        case .none: try? FileManager.default.removeItem(atPath: path)
        case .unusable: break
        }
    }

    private func contents(of path: String) throws(AuthError) -> SmallFile.Contents {
        do throws(RecordStoreError) {
            return try SmallFile.read(path, path: path, atMost: 1 << 20, followingLinks: true, demandsPrivacy: false)
        } catch {
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
        AuthError(
            .stateDirectoryUnusable,
            "The app's choice of access group cannot be stored at \(path): \(error).",
            remedy: "Make the directory writable, or set Options.stateDirectory.",
            underlying: error
        )
    }
}
