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

    /// Checks that no keyring daemon other than the present one keeps the user of a slot, and that the collection that last
    /// had the user is there. Returns if neither is known.
    ///
    /// - Throws: `keyringChanged` if a different daemon keeps the user, or the collection was replaced; `keyringLocked` if
    ///   the collection is locked; an error of the journal or the store.
    func check(_ slot: Slot, by deadline: Deadline) throws(AuthError) {
        let keepers = try journal.keepers(of: slot, by: deadline)
        let collection = try journal.collection(of: slot, by: deadline)
        if keepers.isEmpty, collection == nil { return }
        let marking = slots.store as? any CollectionMarking
        var presence: CollectionPresence?
        let keeper: KeyringDaemon.Kind?
        do throws(RecordStoreError) {
            if let collection { presence = try marking?.presence(of: collection, by: deadline) }
            keeper = presence == .present ? nil : try slots.store.keeper(by: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
        switch KeeperVerdict(keepers: keepers, present: keeper, collection: presence) {
        case .trusted: break
        case .locked: throw AuthError(RecordStoreError(.locked, "The keyring that held the user is locked."), in: slot)
        case .otherDaemon: throw .kept(by: keepers, not: keeper, slot)
        case .otherCollection: throw .replaced(slot, marking?.traces(by: deadline) ?? CollectionTraces())
        }
    }

    /// Notes that the present keyring daemon keeps the user of a slot, in this collection, or that there is no user.
    func note(
        _ note: SessionState.KeeperNote,
        of slot: Slot,
        in collection: UserCollection,
        by deadline: Deadline
    ) {
        switch note {
        case .clear: return journal.clearKeepers(of: slot, by: deadline)
        case .addIfNone where journal.knowsKeeper(of: slot, in: collection, by: deadline): return
        // A process that does not observe is short-lived, and checks once.
        case .add where !observesOtherProcesses && journal.hasNotedKeeper(of: slot, in: collection): return
        case .add, .addIfNone: break
        }
        let keeper = present(by: deadline)
        let collection = isNotedStillThere(besides: collection, of: slot, by: deadline) ? .unknown : collection
        if keeper == nil, collection == .unknown { return }
        journal.noteKeeper(keeper, of: slot, in: collection, by: deadline)
    }

    /// Returns whether the noted collection is right although the slot's record names none, as one that an earlier
    /// version has written: the collection was not replaced.
    private func isNotedStillThere(
        besides collection: UserCollection,
        of slot: Slot,
        by deadline: Deadline
    ) -> Bool {
        guard collection == .unmarked, let noted = try? journal.collection(of: slot, by: deadline),
            let marking = slots.store as? any CollectionMarking
        else { return false }
        return (try? marking.presence(of: noted, by: deadline)) != .absent
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

/// The meaning of an empty result, by the notes about the slot's user.
enum KeeperVerdict: Hashable {
    /// The slot has no user.
    case trusted
    /// The collection that last had the user is locked.
    case locked
    /// Another daemon keeps the user.
    case otherDaemon
    /// The collection that last had the user is gone, and another one is empty.
    case otherCollection

    /// - Parameters:
    ///   - keepers: The daemons that are noted.
    ///   - present: The daemon that answered; nil if it is unknown.
    ///   - collection: The state of the collection that is noted; nil if none is, or if it cannot be recognized.
    init(keepers: [KeyringDaemon.Kind], present: KeyringDaemon.Kind?, collection: CollectionPresence?) {
        let isOther = present.map { !keepers.isEmpty && !keepers.contains($0) } ?? false
        self =
            switch collection {
            case .present?: .trusted
            case .locked?: .locked
            case .absent?: isOther ? .otherDaemon : .otherCollection
            case nil: isOther ? .otherDaemon : .trusted
            }
    }
}

extension AuthError {
    fileprivate static func kept(
        by keepers: [KeyringDaemon.Kind],
        not present: KeyringDaemon.Kind?,
        _ slot: Slot
    ) -> AuthError {
        let former = keepers.compactMap(\.name).joined(separator: " or ")
        return AuthError(
            .keyringChanged,
            "\(slot.description.capitalizedFirst): the user is kept by \(former), but the keyring daemon is now "
                + "\(present?.name ?? "another one"), which has no user there. Start \(former), or sign in again."
        )
    }

    fileprivate static func replaced(_ slot: Slot, _ traces: CollectionTraces) -> AuthError {
        AuthError(
            .keyringChanged,
            "\(slot.description.capitalizedFirst): the keyring that held the user is gone, and the one in its place has no "
                + "user there.",
            remedy: "\(traces.remedy.capitalizedFirst); or sign in again, or sign out."
        )
    }
}
