/// The slot that one process uses, and the last migration that the process knows of.
///
/// The stored choice belongs to the app, and the slot in use to a process: a switch by hand applies to the process that
/// makes it. A process whose users were migrated by another process finds them by the migrations that the choice notes
/// after the last one that it knows of.
struct SlotInUse: Sendable, Hashable {
    let slot: Slot
    /// The nonce of the last migration when the process began to use the slot; nil if none was noted.
    let lastMove: UInt64?

    init(_ slot: Slot, lastMove: UInt64? = nil) {
        (self.slot, self.lastMove) = (slot, lastMove)
    }

    /// Creates the slot of a choice that was just read.
    init(_ choice: GroupChoice) {
        self.init(choice.slot, lastMove: choice.moves?.last?.nonce)
    }
}

extension GroupChoice {
    /// A migration of an app's users from one slot to another.
    struct Move: Sendable, Hashable {
        let from: Slot
        let to: Slot
        /// The accounts that have moved.
        let accounts: [AccountID]
        /// Distinguishes the move from all others.
        let nonce: UInt64

        /// Returns whether a process with this current user follows the move. A process without a user follows each.
        fileprivate func concerns(_ user: AccountID?) -> Bool {
            user.map { user in accounts.contains { $0.mayMean(user) } } ?? true
        }
    }

    /// The maximum number of moves that are noted. A process that has heard of none of so many stays in its slot.
    private static let mostMoves = 16

    /// Notes a move as the last one.
    mutating func note(_ move: Move) {
        moves = ((moves ?? []) + [move]).suffix(Self.mostMoves)
    }

    /// Returns the slot to which a user, or the users of a process that shows none, moved from a slot after the process
    /// began to use it; nil if they did not move.
    ///
    /// A choice of a version that noted no moves does not say whether it was changed by a switch or by a migration: see
    /// ``unexplained(in:)``.
    func destination(of user: AccountID?, from used: SlotInUse) -> SlotInUse? {
        guard let moves else { return nil }
        // Without the known move, all that are noted are later ones.
        let known = moves.lastIndex { $0.nonce == used.lastMove }
        let later = moves[(known.map { $0 + 1 } ?? moves.startIndex)...]
        let end = later.reduce(used.slot) { slot, move in move.from == slot && move.concerns(user) ? move.to : slot }
        return end == used.slot ? nil : SlotInUse(end, lastMove: moves.last?.nonce)
    }

    /// Returns the slot of a choice that is not the slot in use, if its version noted no moves: the users were migrated
    /// there if it has them.
    func unexplained(in used: SlotInUse) -> SlotInUse? {
        moves == nil && slot != used.slot ? SlotInUse(slot) : nil
    }
}

extension GroupChoice.Move: Codable {
    private enum CodingKeys: String, CodingKey {
        case from, to, uids, issuers, nonce
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        from = try fields.decode(Slot.self, forKey: .from)
        to = try fields.decode(Slot.self, forKey: .to)
        nonce = try fields.decode(UInt64.self, forKey: .nonce)
        let issuers = try fields.decodeIfPresent([String?].self, forKey: .issuers) ?? []
        accounts = AccountID.list(uids: try fields.decode([String].self, forKey: .uids), issuers: issuers)
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(from, forKey: .from)
        try fields.encode(to, forKey: .to)
        try fields.encode(accounts.map(\.uid), forKey: .uids)
        if accounts.contains(where: { $0.issuer != nil }) {
            try fields.encode(accounts.map(\.issuer), forKey: .issuers)
        }
        try fields.encode(nonce, forKey: .nonce)
    }
}

extension AccountID {
    /// Returns identities from parallel lists, as journals store them; a missing issuer is unknown.
    static func list(uids: [String], issuers: [String?]) -> [AccountID] {
        uids.enumerated().map { place, uid in
            AccountID(uid: uid, issuer: place < issuers.count ? issuers[place] : nil)
        }
    }
}
