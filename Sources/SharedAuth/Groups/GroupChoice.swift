/// What the journal of an app's groups holds: the choice of group, and what a switch or migration still has to do.
///
/// Choice and steps are one file, so that they change together.
struct GroupChoice: Sendable, Hashable {
    /// A step that was begun, and that the next start finishes or drops.
    enum Pending: Sendable, Hashable, Codable {
        /// The switch is done but for deleting these users of what the slot held at this revision; nil: who was current.
        case deletion(of: Slot, revision: Revision, uids: [String]? = nil)
        /// A user was being copied there; if the copy arrived, the switch goes on, else it is dropped.
        case migration(of: String, to: Slot)
    }

    /// A user who was migrated by a store that may forget what it has acknowledged: the original goes at a start that
    /// reads the copy.
    struct Original: Sendable, Hashable, Codable {
        var uid: String
        var slot: Slot
        /// What the slot held when the user was copied from it.
        var revision: Revision
        /// Where the copy is; nil in files of versions that did not note it: the slot in use.
        var target: Slot?
        /// The run of the keyring daemon that had the copy last.
        var daemon: String?
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
