/// What a migration has written to a target, and what was there before.
struct SlotCopy {
    let slots: UserSlots
    private(set) var contents: SlotContents
    /// What the source held when this was copied from it.
    private(set) var source: Revision?
    /// What the target held before.
    private var overwritten: SlotContents
    /// Who was brought.
    private let coming: UserRecord
    /// Whether the migration has written it; else the users were there as they are at the source, or with newer tokens.
    private(set) var isOurs: Bool
    /// Whether a choice was stored that needs it.
    var isChosen = false
    /// Whose session had to go.
    private(set) var removed: Account?

    /// Writes the users of a step to a target, if they are not there as they are at the source.
    ///
    /// With the policy `replace`, a record that cannot be read is set aside.
    /// - Parameter save: receives the session of another user who has to go, before it goes.
    init(
        of source: SlotContents,
        in slots: UserSlots,
        _ move: SlotMove,
        namingOriginals: Bool,
        by deadline: Deadline,
        _ save: UserMigration.SaveReplaced
    ) throws(AuthError) {
        let (to, policy) = (move.to, move.migration.policy)
        var (coming, present) = (UserRecord(), SlotContents())
        var merged: AccountMerge?
        contents = try slots.update(
            to,
            by: deadline,
            ifDamaged: policy == .replace ? .setAside : .replaceEmpty,
            // Nobody is coming as long as the turn has not been had: then nothing can have been written.
            settledIf: { found in
                !coming.isEmpty && coming.accounts.allSatisfy { found.record.account($0.id)?.tokens == $0.tokens }
            }
        ) { found throws(AuthError) in
            present = found
            coming = try move.users(of: source, comingInto: found.record, slots, namingOriginals: namingOriginals)
            if move.isResumed, !coming.accounts.allSatisfy(found.record.holds) { throw .changedMeanwhile(to) }
            let merge = try move.migration.merge(coming, into: found.record)
            if let removed = merge.removed {
                try save(ReplacedSession(removed, in: to, appID: slots.appID, project: move.migration.project))
            }
            merged = merge
            return merge.record == found.record ? .keep : .store(merge.record)
        }
        self.slots = slots
        self.source = source.revision
        self.coming = coming
        overwritten = present
        isOurs = merged.map { $0.record != present.record } ?? false
        removed = merged?.removed
    }

    /// Goes on from what was written since, as the source or the target had changed.
    mutating func take(_ later: SlotCopy) {
        if later.overwritten.revision != contents.revision {
            // Others have changed the target meanwhile: what they left there is what it is to be without these users.
            let ours = later.coming.accounts.filter { !overwritten.record.holds($0) }
            overwritten.record = later.overwritten.record.removing(ours.map(\.id))
        }
        (contents, source) = (later.contents, later.source)
        isOurs = isOurs || later.isOurs
        removed = removed ?? later.removed
    }

    /// The users of a record who were at the target before.
    func residents(of record: UserRecord) -> [AccountID] { record.held(by: overwritten.record) }

    /// Takes it back, unless somebody has written over it.
    ///
    /// - Returns: whether the users are not there any more who were not before.
    func takeBack(from target: Slot, by deadline: Deadline) -> Bool {
        if !isOurs { return true }
        let after = try? slots.update(target, by: deadline) { found in
            found.revision == contents.revision ? .store(overwritten.record) : .keep
        }
        let ours = coming.accounts.filter { !overwritten.record.holds($0) }
        return after.map { after in ours.allSatisfy { !after.record.holds($0) } } ?? false
    }
}

extension SlotMove {
    /// The users who are to come to a target that holds these.
    ///
    /// Who has signed out there, when the original of the copy was as it is now, does not come back by it.
    /// - Throws: `conflict` if nobody is left to come.
    func users(
        of source: SlotContents,
        comingInto present: UserRecord,
        _ slots: UserSlots,
        namingOriginals: Bool = false
    ) throws(AuthError) -> UserRecord {
        let leaving = step.selection.moved(of: source.record)
        guard let revision = source.revision else { return leaving }
        let original = try slots.copiedFrom(from, at: revision)
        let coming = leaving.removing(notedAs: present.signedOut.filter { $0.original == original }.map(\.id))
        if coming.accounts.isEmpty, let uid = leaving.mainUID { throw .signedOut(uid, from: to) }
        guard namingOriginals else { return coming }
        return coming.mapAccounts { account in
            var account = account
            if !step.selection.keeps(account.id) { account.remainingOriginals.append(original) }
            return account
        }
    }
}

extension AuthError {
    fileprivate static func signedOut(_ uid: String, from slot: Slot) -> AuthError {
        AuthError(
            .conflict,
            "\(uid) has signed out of \(slot.description), and this is what was left to be deleted then.",
            remedy: "Start the app, which deletes it, or sign in again."
        )
    }
}
