/// A migration's copy in a target, and the former contents of the target.
struct SlotCopy {
    let slots: UserSlots
    private(set) var contents: SlotContents
    /// The revision of the source that was copied.
    private(set) var source: Revision?
    /// The former contents of the target.
    private var overwritten: SlotContents
    /// The copied users.
    private let coming: UserRecord
    /// True if the migration has written the copy; else the users were already there as in the source, or with newer
    /// tokens.
    private(set) var isOurs: Bool
    /// True if a stored choice needs the copy.
    var isChosen = false
    /// The account whose session was removed.
    private(set) var removed: Account?

    /// Writes the users of a step to a target, unless they are already there as in the source.
    ///
    /// With the policy `replace`, a record that cannot be read is set aside.
    /// - Parameters:
    ///   - namingOriginals: whether the copied accounts name their originals, which are deleted by a later start.
    ///   - save: receives the session of another user before it is removed.
    /// - Throws: `accessGroupOccupied` if the policy does not admit the users; `conflict` if no user is left to move,
    ///   or if a resumed move finds no copy; an error of `save` or of the store.
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
            // `coming` is empty until the lock is held; until then nothing can have been written.
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

    /// Continues with a later copy, made because the source or the target had changed.
    mutating func take(_ later: SlotCopy) {
        if later.overwritten.revision != contents.revision {
            // Others have changed the target in the meantime: their changes without these users are its former
            // contents.
            let ours = later.coming.accounts.filter { !overwritten.record.holds($0) }
            overwritten.record = later.overwritten.record.removing(ours.map(\.id))
        }
        (contents, source) = (later.contents, later.source)
        isOurs = isOurs || later.isOurs
        removed = removed ?? later.removed
    }

    /// Returns the users of a record who were at the target before.
    func residents(of record: UserRecord) -> [AccountID] { record.held(by: overwritten.record) }

    /// Takes the copy back, unless another process has overwritten it.
    ///
    /// - Returns: true if the users that were not at the target before are no longer there.
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
    /// Returns the users to move to a target that holds this record.
    ///
    /// A user who signed out there, when the original of the copy was as it is now, does not come back.
    /// - Throws: `conflict` if no user is left to move.
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
            "\(uid) has signed out of \(slot.description), and this copy is still to be deleted.",
            remedy: "Start the app, which deletes it, or sign in again."
        )
    }
}
