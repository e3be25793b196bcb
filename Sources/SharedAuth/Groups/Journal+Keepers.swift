internal import SecretService
internal import Synchronization

extension Journal {
    /// The keyring daemons that keep a user of a slot; none if its users signed out, or nothing is known.
    ///
    /// - Throws: `timedOut` where a file system on a network does not answer.
    func keepers(of slot: Slot, by deadline: Deadline) throws(AuthError) -> [KeyringDaemon.Kind] {
        try keeperNotes(by: deadline)[slot.groupName ?? ""]
    }

    /// The keyring daemons that keep the user of the slot in use, unless the present one is one of them or is not
    /// known.
    func formerKeepers(besides present: KeyringDaemon.Kind?, by deadline: Deadline) -> [KeyringDaemon.Kind] {
        guard let present, let slot = try? read(by: deadline).slot,
            let keepers = try? keepers(of: slot, by: deadline)
        else { return [] }
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
        guard let files else { return state.withLock { change(&$0.keepers, name) } }
        guard let before = try? keeperNotes(by: deadline) else { return }
        var after = before
        change(&after, name)
        if after[name] == before[name] { return }
        try? files.locked(by: deadline) { () throws(AuthError) in
            var notes = try keeperNotes(by: deadline)
            change(&notes, name)
            guard let bytes = notes.encoded() else { return }
            try files.replace(.keepers, with: bytes, durably: durably, by: deadline)
        }
    }

    private func keeperNotes(by deadline: Deadline) throws(AuthError) -> KeeperNotes {
        guard let files else { return state.withLock { $0.keepers } }
        return try files.notes(.keepers, by: deadline).map(KeeperNotes.init) ?? KeeperNotes()
    }
}
