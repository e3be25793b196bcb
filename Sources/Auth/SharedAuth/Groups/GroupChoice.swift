package import DesktopSupport
internal import FoundationEssentials

/// The contents of an app's journal: the group choice, the migrations that changed it, and the unfinished steps of a
/// switch or migration.
///
/// They are in one file, so that they change together.
struct GroupChoice: Sendable, Hashable {
    /// A step that has begun, and that the next start finishes or drops.
    enum Pending: Sendable, Hashable {
        /// A switch that is done except for deleting these accounts from the slot, if it still has this revision. If
        /// `accounts` is nil, the current account is deleted.
        case deletion(of: Slot, revision: Revision, accounts: [AccountID]? = nil)
        /// An account that is being copied from one slot to another. If the copy has arrived, the migration continues;
        /// else the step is dropped. If `from` is nil, as in files of versions that did not note it, the account comes
        /// from the slot of the choice. If `session` is there, several apps each get a copy of it in their own slots, and
        /// the others still need the source: then the copy is taken back.
        case migration(of: AccountID, from: Slot? = nil, to: Slot, session: String? = nil)
    }

    /// The original of a user who was migrated in a store that may forget acknowledged writes. It is deleted by a start
    /// that reads the copy.
    struct Original: Sendable, Hashable, Codable {
        var uid: String
        /// The issuer of the account; nil in files of versions that did not note it.
        var issuer: String?
        var slot: Slot
        /// The revision of the slot when the user was copied from it.
        var revision: Revision
        /// The slot of the copy. Nil, in files of versions that did not note it, means the slot in use.
        var target: Slot?
        /// The run of the keyring daemon that last had the copy, as `RecordStore.daemonRun(by:)` identifies it.
        var daemon: String?

        init(_ id: AccountID, slot: Slot, revision: Revision, target: Slot? = nil, daemon: String? = nil) {
            (uid, issuer) = (id.uid, id.issuer)
            (self.slot, self.revision, self.target, self.daemon) = (slot, revision, target, daemon)
        }

        /// The account as it was noted.
        var id: AccountID { AccountID(uid: uid, issuer: issuer) }
    }

    var slot = Slot.own
    /// The last migrations, in their order. A change of `slot` that is not among them was a switch by hand. Nil in files
    /// of versions that did not note them.
    var moves: [Move]? = []
    /// The unfinished steps of all processes of the app.
    var steps: [Pending] = []
    var remainingOriginals: [Original] = []

    init(
        slot: Slot = .own,
        moves: [Move]? = [],
        pending: Pending? = nil,
        remainingOriginals: [Original] = []
    ) {
        self.slot = slot
        self.moves = moves
        self.steps = pending.map { [$0] } ?? []
        self.remainingOriginals = remainingOriginals
    }

    /// Chooses a slot.
    mutating func choose(_ slot: Slot) {
        self.slot = slot
        // From now on the file says how its choice was changed.
        moves = moves ?? []
    }

    /// Adds a step, unless it is already there.
    mutating func begin(_ step: Pending) {
        if !steps.contains(step) { steps.append(step) }
    }

    /// Removes the steps that copy an account to a slot, including those that do not name its issuer.
    mutating func endMigration(of id: AccountID, to target: Slot) {
        steps.removeAll { step in
            if case .migration(let noted, _, target, _) = step { noted.mayMean(id) } else { false }
        }
    }

    /// Returns whether an account is being copied to a slot.
    func isMoving(to target: Slot) -> Bool {
        steps.contains { if case .migration(_, _, target, _) = $0 { true } else { false } }
    }

    /// Indicates whether a switch or a migration has left something to delete.
    var hasDeletions: Bool { steps.contains { if case .deletion = $0 { true } else { false } } }

    /// Removes the steps that copy accounts to a slot.
    mutating func endMigrations(to target: Slot) {
        steps.removeAll { if case .migration(_, _, target, _) = $0 { true } else { false } }
    }

    /// Removes a step.
    mutating func end(_ step: Pending) {
        steps.removeAll { $0 == step }
    }
}

extension GroupChoice: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, slot, moves, pending, morePending
        case remainingOriginals = "originals"
    }

    /// The only version so far.
    private static let version = 1

    /// Decodes a choice. Throws if its version is unknown, or if a slot in it cannot exist.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard try fields.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: fields, debugDescription: "unknown version")
        }
        slot = try fields.decode(Slot.self, forKey: .slot)
        moves = try fields.decodeIfPresent([Move].self, forKey: .moves)
        let first = try fields.decodeIfPresent(Pending.self, forKey: .pending)
        steps = (first.map { [$0] } ?? []) + (try fields.decodeIfPresent([Pending].self, forKey: .morePending) ?? [])
        remainingOriginals = try fields.decodeIfPresent([Original].self, forKey: .remainingOriginals) ?? []
    }

    /// Encodes the first step in the field that versions with a single step read, and omits empty lists.
    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(Self.version, forKey: .version)
        try fields.encode(slot, forKey: .slot)
        try fields.encodeIfPresent(moves, forKey: .moves)
        try fields.encodeIfPresent(steps.first, forKey: .pending)
        if steps.count > 1 { try fields.encode(Array(steps.dropFirst()), forKey: .morePending) }
        if !remainingOriginals.isEmpty { try fields.encode(remainingOriginals, forKey: .remainingOriginals) }
    }
}

extension GroupChoice.Pending: Codable {
    private enum CodingKeys: String, CodingKey {
        case deletion, migration
    }

    private enum DeletionKeys: String, CodingKey {
        case of, revision, uids, issuers
    }

    private enum MigrationKeys: String, CodingKey {
        case of, from, to, issuer, session
    }

    /// Decodes a step. Steps of earlier versions name accounts by their uids alone.
    init(from decoder: any Decoder) throws {
        let step = try decoder.container(keyedBy: CodingKeys.self)
        if step.contains(.migration) {
            let fields = try step.nestedContainer(keyedBy: MigrationKeys.self, forKey: .migration)
            let issuer = try fields.decodeIfPresent(String.self, forKey: .issuer)
            let id = AccountID(uid: try fields.decode(String.self, forKey: .of), issuer: issuer)
            let source = try fields.decodeIfPresent(Slot.self, forKey: .from)
            self = .migration(
                of: id,
                from: source,
                to: try fields.decode(Slot.self, forKey: .to),
                session: try fields.decodeIfPresent(String.self, forKey: .session)
            )
            return
        }
        let fields = try step.nestedContainer(keyedBy: DeletionKeys.self, forKey: .deletion)
        let issuers = try fields.decodeIfPresent([String?].self, forKey: .issuers) ?? []
        let uids = try fields.decodeIfPresent([String].self, forKey: .uids)
        self = .deletion(
            of: try fields.decode(Slot.self, forKey: .of),
            revision: try fields.decode(Revision.self, forKey: .revision),
            accounts: uids.map { AccountID.list(uids: $0, issuers: issuers) }
        )
    }

    /// Encodes the uids in the field that versions without issuers read.
    func encode(to encoder: any Encoder) throws {
        var step = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .migration(let id, let source, let target, let session):
            var fields = step.nestedContainer(keyedBy: MigrationKeys.self, forKey: .migration)
            try fields.encode(id.uid, forKey: .of)
            try fields.encodeIfPresent(source, forKey: .from)
            try fields.encode(target, forKey: .to)
            try fields.encodeIfPresent(id.issuer, forKey: .issuer)
            try fields.encodeIfPresent(session, forKey: .session)
        case .deletion(let slot, let revision, let accounts):
            var fields = step.nestedContainer(keyedBy: DeletionKeys.self, forKey: .deletion)
            try fields.encode(slot, forKey: .of)
            try fields.encode(revision, forKey: .revision)
            try fields.encodeIfPresent(accounts?.map(\.uid), forKey: .uids)
            if let accounts, accounts.contains(where: { $0.issuer != nil }) {
                try fields.encode(accounts.map(\.issuer), forKey: .issuers)
            }
        }
    }
}

extension GroupChoice.Pending {
    /// Returns whether the step is obsolete once this slot was chosen: it would move the user elsewhere, or delete data
    /// that is in use.
    func isOver(inUse target: Slot) -> Bool {
        switch self {
        case .migration: true
        case .deletion(let slot, _, _): slot == target
        }
    }
}

/// The steps that have begun or ended since the group choice was stored, kept in a file next to it.
///
/// A migration that has begun is on the disk before its copy is made: otherwise, after a crash of the machine, a user
/// could be in two slots and no start would know. The end of a step is noted without waiting for the disk: if that note
/// is lost, the step finds nothing to do. The choice itself is never written that way, because a crash of the machine
/// may leave its file empty.
struct StepNotes: Codable {
    private var version = 1
    private var begun: [GroupChoice.Pending] = []
    private var ended: [GroupChoice.Pending] = []

    init() {}

    /// Decodes notes; damaged or newer notes count as empty.
    init(decoding bytes: [UInt8]) {
        let notes = try? UntrustedJSON.decode(StepNotes.self, from: bytes)
        self = notes.flatMap { $0.version == 1 ? $0 : nil } ?? StepNotes()
    }

    mutating func begin(_ step: GroupChoice.Pending) {
        ended.removeAll { $0 == step }
        if !begun.contains(step) { begun.append(step) }
    }

    mutating func end(_ step: GroupChoice.Pending) {
        begun.removeAll { $0 == step }
        if !ended.contains(step) { ended.append(step) }
    }

    /// Returns the choice with these steps applied.
    func applied(to choice: GroupChoice) -> GroupChoice {
        var choice = choice
        for step in begun { choice.begin(step) }
        for step in ended { choice.end(step) }
        return choice
    }

    func encoded() throws -> [UInt8] { try StableJSON.encode(self, escapingSlashes: true) }
}

/// An access-group choice that an app of this user has stored, for tools. It is read from the state directory alone,
/// without a call to the keyring.
package struct StoredChoice: Sendable, Hashable {
    /// The app's id.
    package let appID: String
    /// The project.
    package let project: String
    /// The chosen group; nil for the app's own slot, or if the file cannot be read.
    package let group: String?

    /// Returns every choice below a state directory, sorted by app id and project.
    package static func all(
        in directory: String = AuthApp.defaultStateDirectory,
        by deadline: Deadline = .after(.seconds(5))
    ) -> [StoredChoice] {
        StateDirectories.names(in: directory).flatMap { appID in
            StateDirectories.names(in: "\(directory)/\(appID)").flatMap { project in
                instances(in: "\(directory)/\(appID)/\(project)").map { instance in
                    let journal = Journal(in: Folder(directory), appID: appID, project: project, instance: instance)
                    return StoredChoice(
                        appID: appID,
                        project: project,
                        group: try? journal.read(by: deadline).slot.groupName
                    )
                }
            }
        }
    }

    /// Returns the instances that have a choice in a directory, of any machine.
    private static func instances(in directory: String) -> [String] {
        let names = StateDirectories.names(in: directory).filter { $0.hasSuffix(".json") }
            .map { $0.dropLast(".json".count).prefix { $0 != "@" } }
        return Set(names).map(String.init).sorted()
    }
}
