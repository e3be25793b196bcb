internal import SecretService

/// Reads slots, and distinguishes a slot whose user signed out from one that the present keyring daemon never held.
///
/// It trusts an empty result only from the daemon that last held the slot's user, its keeper, or from a daemon that
/// cannot be identified. All versions and generations of one daemon are the same keeper.
struct SlotReader: Sendable {
    private let slots: UserSlots
    private let journal: Journal
    private let observesOtherProcesses: Bool

    init(slots: UserSlots, journal: Journal, observesOtherProcesses: Bool) {
        self.slots = slots
        self.journal = journal
        self.observesOtherProcesses = observesOtherProcesses
    }

    /// Reads a slot. Trusts an empty result only from the daemon that last held the slot's user, or if no user was
    /// stored.
    ///
    /// - Throws: `keyringChanged`, or an error of the keyring.
    func read(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> SlotContents {
        let contents = try slots.read(slot, by: deadline)
        if contents.revision == nil { try check(slot, by: deadline) }
        return contents
    }

    /// Checks that no keyring daemon other than the present one keeps the user of a slot. Returns if the present daemon
    /// cannot be identified.
    ///
    /// - Throws: `keyringChanged` if a different daemon keeps the user; an error of the journal or the store.
    func check(_ slot: Slot, by deadline: Deadline) throws(AuthError) {
        let keepers = try journal.keepers(of: slot, by: deadline)
        if keepers.isEmpty { return }
        let keeper: KeyringDaemon.Kind?
        do throws(RecordStoreError) {
            keeper = try slots.store.keeper(by: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
        guard let present = keeper, !keepers.contains(present) else { return }
        let former = keepers.compactMap(\.name).joined(separator: " or ")
        throw AuthError(
            .keyringChanged,
            "\(slot.description.capitalizedFirst): the user is kept by \(former), but the keyring daemon is now "
                + "\(present.name ?? "another one"), which has no user there. Start \(former), or sign in again."
        )
    }

    /// Notes that the present keyring daemon keeps the user of a slot, or that there is no user.
    func note(_ note: SessionState.KeeperNote, of slot: Slot, by deadline: Deadline) {
        switch note {
        case .clear: return journal.clearKeepers(of: slot, by: deadline)
        case .addIfNone where (try? journal.keepers(of: slot, by: deadline).isEmpty) != true: return
        // A process that does not observe is short-lived, and checks once.
        case .add where !observesOtherProcesses && journal.hasNotedKeeper(of: slot): return
        case .add, .addIfNone: break
        }
        if let keeper = present(by: deadline) { journal.noteKeeper(keeper, of: slot, by: deadline) }
    }

    /// Returns the present keyring daemon, for a note. It is queried once per run of the daemon, so that a write needs
    /// no bus call even if the daemon is of no known kind.
    private func present(by deadline: Deadline) -> KeyringDaemon.Kind? {
        let run = daemonRun(by: deadline)
        if let run, let known = journal.keeper(inRun: run) { return known.keeper }
        guard let keeper = try? slots.store.keeper(by: deadline) as KeyringDaemon.Kind?? else { return nil }
        if let run { journal.remember(keeper, asOfRun: run) }
        return keeper
    }

    /// Returns the run of the keyring daemon; nil if it is unknown.
    func daemonRun(by deadline: Deadline) -> String? {
        (try? slots.store.daemonRun(by: deadline)) ?? nil
    }
}

extension RecordStore {
    /// Returns the keyring daemon that keeps the records, as it is noted: by its kind, or by its program if the kind is
    /// unknown. Returns nil if neither is known, so that nothing can be noted.
    func keeper(by deadline: Deadline) throws(RecordStoreError) -> KeyringDaemon.Kind? {
        try daemon(by: deadline).map(KeyringDaemon.Kind.init(program:))
    }
}
