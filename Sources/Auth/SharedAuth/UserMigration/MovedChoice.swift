/// The change that storing the choice of a migration's target makes to a journal.
struct MovedChoice {
    private let target: Slot
    /// The move of the accounts; nil if the app joins another user, and its own stay.
    private let move: GroupChoice.Move?
    /// The deletion that the next start finishes if this process dies.
    private var deletion: GroupChoice.Pending?
    private var originals: [GroupChoice.Original] = []

    /// Creates the change for one journal.
    ///
    /// - Parameters:
    ///   - accounts: the accounts that have moved; empty if the app joins another user.
    ///   - source: the contents that are left behind, for the journal of the last app to leave; else nil.
    ///   - run: the run of the keyring daemon that has the copy.
    init(
        _ move: SlotMove,
        of accounts: [AccountID],
        leaving source: SlotContents?,
        isDurable: Bool,
        run: String?
    ) {
        target = move.to
        self.move = accounts.isEmpty ? nil : .init(from: move.from, to: target, accounts: accounts, nonce: move.nonce)
        guard let source, let revision = source.revision else { return }
        let leaving = move.step.selection.leaving(source.record)
        if leaving.accounts.isEmpty { return }
        if isDurable {
            deletion = .deletion(of: move.from, revision: revision, accounts: leaving.accounts.map(\.id))
        } else {
            originals = leaving.accounts.map { account in
                .init(account.id, slot: move.from, revision: revision, target: move.to, daemon: run)
            }
        }
    }

    func apply(to choice: inout GroupChoice) {
        choice.choose(target)
        if let move { choice.note(move) }
        choice.steps.removeAll { $0.isOver(inUse: target) }
        choice.remainingOriginals.removeAll { $0.slot == target }
        if let deletion { choice.begin(deletion) }
        choice.remainingOriginals += originals
    }
}
