internal import SecretService
internal import Synchronization

extension Journal {
    /// Returns the keyring daemons that keep a user of a slot; empty if its users signed out, or if nothing is known.
    ///
    /// - Throws: `timedOut` if a network file system does not respond.
    func keepers(of slot: Slot, by deadline: Deadline) throws(AuthError) -> [KeyringDaemon.Kind] {
        try keeperNotes(by: deadline)[slot.groupName ?? ""]
    }

    /// Returns the collection that last had the user of a slot; nil if its users signed out, or if it is unknown.
    ///
    /// - Throws: `timedOut` if a network file system does not respond.
    func collection(of slot: Slot, by deadline: Deadline) throws(AuthError) -> CollectionMark? {
        try keeperNotes(by: deadline).collection(of: slot.groupName ?? "")
    }

    /// Returns whether a keeper of a slot is noted, and this collection, or none if it has no mark. An unknown collection
    /// may be noted as any.
    func knowsKeeper(of slot: Slot, in collection: UserCollection, by deadline: Deadline) -> Bool {
        guard let notes = try? keeperNotes(by: deadline) else { return false }
        let group = slot.groupName ?? ""
        return !notes[group].isEmpty && (collection == .unknown || notes.collection(of: group) == collection.mark)
    }

    /// Returns the keyring daemons that keep the user of a slot, or with nil of the chosen one; empty if the present
    /// daemon is one of them, or is unknown.
    func formerKeepers(
        of slot: Slot? = nil,
        besides present: KeyringDaemon.Kind?,
        by deadline: Deadline
    ) -> [KeyringDaemon.Kind] {
        guard let present, let slot = try? slot ?? read(by: deadline).slot,
            let keepers = try? keepers(of: slot, by: deadline)
        else { return [] }
        return keepers.contains(present) ? [] : keepers
    }

    /// Returns whether this process has noted the keeper of a slot's present user, and this collection.
    func hasNotedKeeper(of slot: Slot, in collection: UserCollection) -> Bool {
        state.withLock { state in
            state.noted[slot].map { collection == .unknown || $0.collection == collection } ?? false
        }
    }

    /// Returns the keeper that was found in this run of the keyring daemon, if this was the last run that was checked.
    func keeper(inRun run: String) -> (run: String, keeper: KeyringDaemon.Kind?)? {
        state.withLock { $0.found?.run == run ? $0.found : nil }
    }

    /// Remembers, for this process, the keeper that was found in a run of the keyring daemon.
    func remember(_ keeper: KeyringDaemon.Kind?, asOfRun run: String) {
        state.withLock { $0.found = (run, keeper) }
    }

    /// Notes another keyring daemon that keeps a user of a slot, and the collection that has the user now. Each is left
    /// as it is if it is nil or unknown.
    ///
    /// Errors are ignored: a lost note costs only that knowledge.
    func noteKeeper(
        _ keeper: KeyringDaemon.Kind?,
        of slot: Slot,
        in collection: UserCollection = .unknown,
        by deadline: Deadline
    ) {
        let isNew = state.withLock { state in
            var noted = state.noted[slot] ?? NotedKeepers()
            if let keeper { noted.daemons.insert(keeper) }
            if collection != .unknown { noted.collection = collection }
            defer { state.noted[slot] = noted }
            return noted != state.noted[slot]
        }
        guard isNew else { return }
        changeKeepers(of: slot, by: deadline) { notes, group in
            if let keeper { notes.note(keeper, of: group) }
            notes.note(collection, of: group)
        }
    }

    /// Notes that the users of a slot are gone. If `durably`, the note is on the disk when it returns.
    func clearKeepers(of slot: Slot, by deadline: Deadline, durably: Bool = true) {
        state.withLock { $0.noted[slot] = nil }
        changeKeepers(of: slot, by: deadline, durably: durably) { $0.clear($1) }
    }

    /// Notes, without waiting for the disk, that a keyring daemon keeps the users who have moved to a slot, and that
    /// the slot that they have left, unless it is nil, has no users.
    func noteMoved(
        to slot: Slot,
        keptBy keeper: KeyringDaemon.Kind?,
        leaving former: Slot?,
        by deadline: Deadline
    ) {
        if let keeper {
            changeKeepers(of: slot, by: deadline, durably: false) { notes, group in
                notes.note(keeper, of: group)
                // The next start of the app notes the collection.
                notes.note(.unmarked, of: group)
            }
        }
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
        if after == before { return }
        try? files.locked(by: deadline) { () throws(AuthError) in
            var notes = try keeperNotes(by: deadline)
            change(&notes, name)
            guard let bytes = notes.encoded() else { return }
            try files.replace(.keepers, with: bytes, durably: durably, by: deadline)
        }
    }

    private func keeperNotes(by deadline: Deadline) throws(AuthError) -> KeeperNotes {
        guard let files else { return state.withLock { $0.keepers } }
        // Another machine has another keyring.
        if try files.origin(by: deadline) == .otherMachine { return KeeperNotes() }
        return try files.notes(.keepers, by: deadline).map(KeeperNotes.init) ?? KeeperNotes()
    }
}
