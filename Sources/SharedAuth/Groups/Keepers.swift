internal import FoundationEssentials
internal import SecretService

/// Which keyring daemon keeps the user of each slot.
///
/// With it, a slot whose user signed out and a slot that this keyring daemon never had are not confused.
struct Keepers: Sendable {
    private let slots: UserSlots
    private let journal: Journal
    private let observesOtherProcesses: Bool

    init(slots: UserSlots, journal: Journal, observesOtherProcesses: Bool) {
        self.slots = slots
        self.journal = journal
        self.observesOtherProcesses = observesOtherProcesses
    }

    /// Reads a slot; that it is empty is believed only of a keyring daemon that had its user, or if there was none.
    ///
    /// - Throws: `keyringChanged`, or an error of the keyring.
    func read(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> SlotContents {
        let contents = try slots.read(slot, by: deadline)
        if contents.revision == nil { try check(slot, by: deadline) }
        return contents
    }

    /// Throws `keyringChanged` when the user of a slot is kept by a program that is not the present keyring daemon.
    func check(_ slot: Slot, by deadline: Deadline) throws(AuthError) {
        let keepers = journal.keepers(of: slot)
        if keepers.isEmpty { return }
        let program: String?
        do throws(RecordStoreError) {
            program = try slots.store.daemon(by: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
        guard let present = program, !keepers.contains(present) else { return }
        let keeper = keepers.joined(separator: " or ")
        throw AuthError(
            .keyringChanged,
            "\(slot.description.capitalizedFirst): the signed-in user is kept by \(keeper), but the keyring daemon is now "
                + "\(present), which has no user there. Start \(keeper) instead, or sign in again."
        )
    }

    /// Notes which program keeps the user of a slot: the keyring daemon that answers now.
    func note(_ note: SessionState.KeeperNote, of slot: Slot, by deadline: Deadline) {
        switch note {
        case .clear: return journal.clearKeepers(of: slot, by: deadline)
        case .addIfNone where !journal.keepers(of: slot).isEmpty: return
        // A process that does not observe is a short one, and asks once.
        case .add where !observesOtherProcesses && journal.hasNotedKeeper(of: slot): return
        case .add, .addIfNone: break
        }
        if let program = try? slots.store.daemon(by: deadline) {
            journal.noteKeeper(program, of: slot, by: deadline)
        }
    }

    /// The run of the keyring daemon; nil if that is not known.
    func daemonRun(by deadline: Deadline) -> String? {
        (try? slots.store.daemonRun(by: deadline)) ?? nil
    }
}

/// The file with the keepers of all slots of an app.
struct KeeperNotes: Codable, Sendable {
    var version = 1
    /// Programs by the name of the group; the own slot has the empty name.
    var programs: [String: [String]] = [:]

    private enum CodingKeys: String, CodingKey {
        case version
        case programs = "providers"
    }

    init() {}

    /// Reads notes; those that are damaged or newer count as none.
    init(decoding bytes: [UInt8]) {
        let notes = try? JSONDecoder().decode(KeeperNotes.self, from: Data(bytes))
        self = notes.flatMap { $0.version == 1 ? $0 : nil } ?? KeeperNotes()
    }

    func encoded() -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map(Array.init)
    }
}
