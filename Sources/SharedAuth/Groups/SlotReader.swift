internal import SecretService

/// Reads slots, and tells a slot whose user signed out from one that the present keyring daemon never held.
///
/// It trusts an empty result only from the daemon that last held the slot's user, its keeper. All versions and generations of one daemon
/// are the same keeper.
struct SlotReader: Sendable {
    private let slots: UserSlots
    private let journal: Journal
    private let observesOtherProcesses: Bool

    init(slots: UserSlots, journal: Journal, observesOtherProcesses: Bool) {
        self.slots = slots
        self.journal = journal
        self.observesOtherProcesses = observesOtherProcesses
    }

    /// Reads a slot. Trusts an empty result only from the daemon that last held the slot's user, or if no user was stored.
    ///
    /// - Throws: `keyringChanged`, or an error of the keyring.
    func read(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> SlotContents {
        let contents = try slots.read(slot, by: deadline)
        if contents.revision == nil { try check(slot, by: deadline) }
        return contents
    }

    /// Throws `keyringChanged` when the user of a slot is kept by another keyring daemon than the present one.
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
            "\(slot.description.capitalizedFirst): the signed-in user is kept by \(former), but the keyring daemon is now "
                + "\(present.name ?? "another one"), which has no user there. Start \(former) instead, or sign in again."
        )
    }

    /// Notes which keyring daemon keeps the user of a slot: the one that answers now.
    func note(_ note: SessionState.KeeperNote, of slot: Slot, by deadline: Deadline) {
        switch note {
        case .clear: return journal.clearKeepers(of: slot, by: deadline)
        case .addIfNone where (try? journal.keepers(of: slot, by: deadline).isEmpty) != true: return
        // A process that does not observe is a short one, and asks once.
        case .add where !observesOtherProcesses && journal.hasNotedKeeper(of: slot): return
        case .add, .addIfNone: break
        }
        if let keeper = present(by: deadline) { journal.noteKeeper(keeper, of: slot, by: deadline) }
    }

    /// The keyring daemon that answers now, for a note: asked about once in each run of it, so that a write costs no
    /// question to the bus even where the daemon is of no known kind.
    private func present(by deadline: Deadline) -> KeyringDaemon.Kind? {
        let run = daemonRun(by: deadline)
        if let run, let known = journal.keeper(inRun: run) { return known.keeper }
        guard let keeper = try? slots.store.keeper(by: deadline) as KeyringDaemon.Kind?? else { return nil }
        if let run { journal.remember(keeper, asOfRun: run) }
        return keeper
    }

    /// The run of the keyring daemon; nil if that is not known.
    func daemonRun(by deadline: Deadline) -> String? {
        (try? slots.store.daemonRun(by: deadline)) ?? nil
    }
}

extension RecordStore {
    /// The keyring daemon that keeps the records, as it is noted: by its kind, or by its program if it is of no known
    /// kind; nil if neither is known, and then nothing can be noted.
    func keeper(by deadline: Deadline) throws(RecordStoreError) -> KeyringDaemon.Kind? {
        try daemon(by: deadline).map(KeyringDaemon.Kind.init(program:))
    }
}
