package import DesktopSupport
internal import FoundationEssentials

/// What the journal of an app's groups holds: the choice of group, and what a switch or migration still has to do.
///
/// Choice and steps are one file, so that they change together.
struct GroupChoice: Sendable, Hashable {
    /// A step that was begun, and that the next start finishes or drops.
    enum Pending: Sendable, Hashable {
        /// The switch is done but for deleting these accounts of what the slot held at this revision; nil: the current one.
        case deletion(of: Slot, revision: Revision, accounts: [AccountID]? = nil)
        /// An account was being copied there; if the copy arrived, the switch continues, else it is dropped.
        case migration(of: AccountID, to: Slot)
    }

    /// A user who was migrated by a store that may forget what it has acknowledged: the original goes at a start that
    /// reads the copy.
    struct Original: Sendable, Hashable, Codable {
        var uid: String
        /// Who issued the account; nil in files of versions that did not note it.
        var issuer: String?
        var slot: Slot
        /// What the slot held when the user was copied from it.
        var revision: Revision
        /// Where the copy is; nil in files of versions that did not note it: the slot in use.
        var target: Slot?
        /// The run of the keyring daemon that had the copy last.
        var daemon: String?

        init(_ id: AccountID, slot: Slot, revision: Revision, target: Slot? = nil, daemon: String? = nil) {
            (uid, issuer) = (id.uid, id.issuer)
            (self.slot, self.revision, self.target, self.daemon) = (slot, revision, target, daemon)
        }

        /// The account, as it was noted.
        var id: AccountID { AccountID(uid: uid, issuer: issuer) }
    }

    var slot = Slot.own
    /// The steps that are under way, of all processes of the app.
    var steps: [Pending] = []
    var remainingOriginals: [Original] = []

    init(slot: Slot = .own, pending: Pending? = nil, remainingOriginals: [Original] = []) {
        self.slot = slot
        self.steps = pending.map { [$0] } ?? []
        self.remainingOriginals = remainingOriginals
    }

    /// Adds a step, once.
    mutating func begin(_ step: Pending) {
        if !steps.contains(step) { steps.append(step) }
    }

    /// Strikes the steps out that copy an account to a slot, also those that do not name its issuer.
    mutating func endMigration(of id: AccountID, to target: Slot) {
        steps.removeAll { step in
            if case .migration(let noted, target) = step { noted.mayMean(id) } else { false }
        }
    }

    /// Whether an account is being copied to a slot.
    func isMoving(to target: Slot) -> Bool {
        steps.contains { if case .migration(_, target) = $0 { true } else { false } }
    }

    /// Strikes the steps out that copy accounts to a slot.
    mutating func endMigrations(to target: Slot) {
        steps.removeAll { if case .migration(_, target) = $0 { true } else { false } }
    }

    /// Strikes a step out.
    mutating func end(_ step: Pending) {
        steps.removeAll { $0 == step }
    }
}

extension GroupChoice: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, slot, pending, morePending
        case remainingOriginals = "originals"
    }

    /// The only version so far.
    private static let version = 1

    /// Throws if the version is another.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard try fields.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: fields, debugDescription: "unknown version")
        }
        slot = try fields.decode(Slot.self, forKey: .slot)
        let first = try fields.decodeIfPresent(Pending.self, forKey: .pending)
        steps = (first.map { [$0] } ?? []) + (try fields.decodeIfPresent([Pending].self, forKey: .morePending) ?? [])
        remainingOriginals = try fields.decodeIfPresent([Original].self, forKey: .remainingOriginals) ?? []
    }

    /// Writes the first step where versions that know only one look for it, and no empty list.
    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(Self.version, forKey: .version)
        try fields.encode(slot, forKey: .slot)
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
        case of, to, issuer
    }

    /// Reads a step; those of earlier versions name accounts by their uids alone.
    init(from decoder: any Decoder) throws {
        let step = try decoder.container(keyedBy: CodingKeys.self)
        if step.contains(.migration) {
            let fields = try step.nestedContainer(keyedBy: MigrationKeys.self, forKey: .migration)
            let issuer = try fields.decodeIfPresent(String.self, forKey: .issuer)
            let id = AccountID(uid: try fields.decode(String.self, forKey: .of), issuer: issuer)
            self = .migration(of: id, to: try fields.decode(Slot.self, forKey: .to))
            return
        }
        let fields = try step.nestedContainer(keyedBy: DeletionKeys.self, forKey: .deletion)
        let issuers = try fields.decodeIfPresent([String?].self, forKey: .issuers) ?? []
        let accounts = try fields.decodeIfPresent([String].self, forKey: .uids)?.enumerated().map { place, uid in
            AccountID(uid: uid, issuer: place < issuers.count ? issuers[place] : nil)
        }
        self = .deletion(
            of: try fields.decode(Slot.self, forKey: .of),
            revision: try fields.decode(Revision.self, forKey: .revision),
            accounts: accounts
        )
    }

    /// Writes the uids where versions that know no issuers look for them.
    func encode(to encoder: any Encoder) throws {
        var step = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .migration(let id, let target):
            var fields = step.nestedContainer(keyedBy: MigrationKeys.self, forKey: .migration)
            try fields.encode(id.uid, forKey: .of)
            try fields.encode(target, forKey: .to)
            try fields.encodeIfPresent(id.issuer, forKey: .issuer)
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
    /// Whether the step makes no sense any more once a slot was chosen: it would move the user elsewhere, or delete what is in
    /// use.
    func isOver(inUse target: Slot) -> Bool {
        switch self {
        case .migration: true
        case .deletion(let slot, _, _): slot == target
        }
    }
}

/// Steps that were begun or have ended since the choice of group was stored, kept in a file next to it.
///
/// The file is written without waiting for the disk: it survives the death of the process, and not that of the machine. Then a
/// migration that was begun has to be begun again, and a deletion that has ended finds nothing to delete. The choice itself is
/// never written so: a file system may leave an empty file of it.
struct StepNotes: Codable {
    private var version = 1
    private var begun: [GroupChoice.Pending] = []
    private var ended: [GroupChoice.Pending] = []

    init() {}

    /// Reads notes; those that are damaged or newer count as none.
    init(decoding bytes: [UInt8]) {
        let notes = try? JSONDecoder().decode(StepNotes.self, from: Data(bytes))
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

    /// The choice as it is with these steps.
    func applied(to choice: GroupChoice) -> GroupChoice {
        var choice = choice
        for step in begun { choice.begin(step) }
        for step in ended { choice.end(step) }
        return choice
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(self))
    }
}

/// A choice of access group that an app of this person has stored, for tools: read from the state directory alone, with no
/// call of the keyring.
package struct StoredChoice: Sendable, Hashable {
    /// The app's id.
    package let appID: String
    /// The project.
    package let project: String
    /// The group that was chosen; nil for the app's own slot, or if the file cannot be read.
    package let group: String?

    /// Every choice below a state directory, in the order of app ids and projects.
    package static func all(
        in directory: String = AuthApp.defaultStateDirectory,
        by deadline: Deadline = .after(.seconds(5))
    ) -> [StoredChoice] {
        StateDirectories.names(in: directory).flatMap { appID in
            StateDirectories.names(in: "\(directory)/\(appID)").flatMap { project in
                StateDirectories.names(in: "\(directory)/\(appID)/\(project)").compactMap { file -> StoredChoice? in
                    guard file.hasSuffix(".json") else { return nil }
                    let journal = Journal(
                        directory: directory,
                        appID: appID,
                        project: project,
                        instance: String(file.dropLast(".json".count))
                    )
                    return StoredChoice(
                        appID: appID,
                        project: project,
                        group: try? journal.read(by: deadline).slot.groupName
                    )
                }
            }
        }
    }
}
