/// The change that choosing another slot makes to a stored choice: by a switch, or by a migration.
struct ChoiceChange: Equatable {
    /// The user in the app's own slot, whom joining a group leaves behind, and the revision of the slot.
    struct Left: Equatable {
        let account: AccountID
        let revision: Revision

        init(account: AccountID, revision: Revision) {
            (self.account, self.revision) = (account, revision)
        }

        /// Creates the user who is current in the app's own slot; nil if none is.
        init?(_ own: SlotContents) {
            guard let current = own.record.current, let revision = own.revision else { return nil }
            self.init(account: current, revision: revision)
        }
    }

    let target: Slot
    /// The user whom a switch leaves behind.
    private(set) var left: Left?
    /// The migration of the accounts; nil for a switch, and if the app joins another user while its own stay.
    private(set) var move: GroupChoice.Move?
    /// The deletion that the next start finishes if this process dies.
    private(set) var deletion: GroupChoice.Pending?
    /// The originals that a later start deletes.
    private(set) var originals: [GroupChoice.Original] = []

    /// Creates the change of a switch by hand.
    init(switchingTo target: Slot, leaving left: Left?) {
        (self.target, self.left) = (target, left)
        deletion = left.map { .deletion(of: .own, revision: $0.revision) }
    }

    /// Creates the change of a migration.
    ///
    /// - Parameters:
    ///   - nonce: names the migration.
    ///   - accounts: the accounts that have moved; empty if the app joins another user.
    init(from source: Slot, to target: Slot, nonce: UInt64, of accounts: [AccountID]) {
        self.target = target
        move = accounts.isEmpty ? nil : .init(from: source, to: target, accounts: accounts, nonce: nonce)
    }

    /// Adds the accounts that a migration leaves behind in a slot.
    ///
    /// - Parameter run: the run of the keyring daemon that has the copy.
    mutating func leave(_ left: UserRecord, in slot: Slot, at revision: Revision, isDurable: Bool, run: String?) {
        if left.accounts.isEmpty { return }
        if isDurable {
            deletion = .deletion(of: slot, revision: revision, accounts: left.accounts.map(\.id))
        } else {
            originals = left.accounts.map { account in
                .init(account.id, slot: slot, revision: revision, target: target, daemon: run)
            }
        }
    }

    /// Indicates whether the change notes what a start is to delete.
    var leavesUsers: Bool { deletion != nil || !originals.isEmpty }

    /// Returns whether the change has an effect on a choice.
    func changes(_ choice: GroupChoice) -> Bool {
        var changed = choice
        apply(to: &changed)
        return changed != choice
    }

    func apply(to choice: inout GroupChoice) {
        choice.choose(target)
        if let move { choice.note(move) }
        // Steps of a migration, and deletions from the target, are obsolete now.
        choice.steps.removeAll { $0.isOver(inUse: target) }
        if let deletion { choice.begin(deletion) }
        // A user who is left behind is also signed out of the slot that the copy came from.
        for step in others(in: choice) { choice.begin(step) }
        choice.remainingOriginals.removeAll { $0.slot == target || (left != nil && $0.target == .own) }
        choice.remainingOriginals.removeAll { noted in
            originals.contains { $0.id == noted.id && $0.slot == noted.slot && $0.target == noted.target }
        }
        choice.remainingOriginals += originals
    }

    /// Returns the steps that delete the originals of the user who is left behind.
    func others(in choice: GroupChoice) -> [GroupChoice.Pending] {
        guard let left else { return [] }
        return choice.remainingOriginals
            .filter { $0.target == .own && $0.slot != target && $0.id.mayMean(left.account) }
            .map { .deletion(of: $0.slot, revision: $0.revision, accounts: [$0.id]) }
    }

    /// Takes back what the change has made of a choice, and leaves what other processes have added since. If they have
    /// moved users or chosen yet another slot since, the slot is theirs and stays.
    func takeBack(from choice: inout GroupChoice, to before: GroupChoice) {
        guard choice.slot == target else { return }
        var made = before
        apply(to: &made)
        choice.steps.removeAll { made.steps.contains($0) && !before.steps.contains($0) }
        choice.remainingOriginals.removeAll {
            made.remainingOriginals.contains($0) && !before.remainingOriginals.contains($0)
        }
        guard choice.moves == made.moves else { return }
        choice.slot = before.slot
        choice.moves = before.moves
        for step in before.steps where !made.steps.contains(step) { choice.begin(step) }
        choice.remainingOriginals += before.remainingOriginals.filter {
            !made.remainingOriginals.contains($0) && !choice.remainingOriginals.contains($0)
        }
    }
}
