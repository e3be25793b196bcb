internal import SecretService

/// What storing the choice of a migration's target does to a journal.
struct MovedChoice {
    private let target: Slot
    /// For the next start to finish, if this process dies; it deletes who is current, so that must be somebody who leaves.
    private var deletion: GroupChoice.Pending?
    private var original: GroupChoice.Original?

    /// Makes the change for one journal.
    ///
    /// - Parameter source: what is left behind, for the journal whose app is the last to leave it; else nil.
    init(_ move: SlotMove, _ source: SlotContents?, _ isDurable: Bool, by deadline: Deadline) {
        target = move.to
        guard let revision = source?.revision, let current = source?.record.only(move.step.extent.uids).current
        else { return }
        if isDurable {
            deletion = .deletion(of: move.from, revision: revision)
        } else {
            let run = (try? move.migration.store.daemonRun(by: deadline)) ?? nil
            original = .init(uid: current, slot: move.from, revision: revision, target: target, daemon: run)
        }
    }

    func apply(to choice: inout GroupChoice) {
        choice.slot = target
        choice.steps.removeAll { $0.isOver(inUse: target) }
        choice.remainingOriginals.removeAll { $0.slot == target }
        if let deletion { choice.begin(deletion) }
        if let original { choice.remainingOriginals.append(original) }
    }
}
