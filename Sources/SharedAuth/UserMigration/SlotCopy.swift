internal import SecretService

/// What a migration has written to a target, and what was there before.
struct SlotCopy {
    let slots: UserSlots
    var contents: SlotContents
    /// What the target held before.
    private let overwritten: UserRecord
    /// Whether the migration has written it; else the users were there as they are at the source, or with newer tokens.
    var isOurs: Bool
    /// Whether a choice was stored that needs it.
    var isChosen = false
    /// Whose session had to go.
    var removed: Account?

    /// Writes the users of a step to a target, if they are not there as they are at the source.
    ///
    /// - Parameter save: receives the session of another user who has to go, before it goes.
    init(
        of source: SlotContents,
        in slots: UserSlots,
        _ move: SlotMove,
        namingOriginals: Bool,
        by deadline: Deadline,
        _ save: UserMigration.SaveReplaced
    ) throws(AuthError) {
        let (from, to) = (move.from, move.to)
        var leaving = source.record.only(move.step.extent.uids)
        if namingOriginals, !move.step.extent.keepsOriginals, let revision = source.revision {
            let original = try slots.copiedFrom(from, at: revision)
            leaving = leaving.mapAccounts { account in
                var account = account
                account.remainingOriginals.append(original)
                return account
            }
        }
        let (coming, scope) = (leaving, try slots.key(from).scopeName)
        var present = UserRecord()
        var merged: AccountMerge?
        contents = try slots.update(
            to,
            by: deadline,
            settledIf: { found in coming.accounts.allSatisfy { found.record.account($0.uid)?.tokens == $0.tokens } }
        ) { found throws(AuthError) in
            // Whose original could not be deleted at a sign-out does not come back by it.
            let signedOut = found.record.signedOut.filter { $0.original.scope == scope }.map(\.uid)
            let merge = try AccountMerge(
                coming.removing(signedOut),
                into: found.record,
                ifOccupied: move.migration.policy,
                in: to
            )
            if let removed = merge.removed {
                try save(ReplacedSession(removed, in: to, appID: slots.appID, project: move.migration.project))
            }
            (present, merged) = (found.record, merge)
            return merge.record == found.record ? .keep : .store(merge.record)
        }
        self.slots = slots
        overwritten = present
        isOurs = merged.map { $0.record != present } ?? false
        removed = merged?.removed
    }

    /// Whether the target held a user before.
    func held(_ uid: String) -> Bool { overwritten.account(uid) != nil }

    /// Takes it back, unless somebody has written over it.
    ///
    /// - Returns: whether the target is as it was.
    func takeBack(from target: Slot, by deadline: Deadline) -> Bool {
        if !isOurs { return true }
        let after = try? slots.update(target, by: deadline) { found in
            found.revision == contents.revision ? .store(overwritten) : .keep
        }
        return after?.record == overwritten
    }
}
