/// The originals that a migration leaves behind while the store may still forget the copy. The app's journal and the
/// copied account name them.
///
/// They are deleted by a start that reads the copy, or together with the copy's sign-out. A copy that was lost in a
/// crash of the keyring daemon is restored from them.
struct LeftOriginals {
    let operation: Operation

    private var slots: UserSlots { operation.slots }
    private var journal: Journal { operation.journal }
    private var deadline: Deadline { operation.deadline }

    // MARK: At a start

    /// Deletes the originals whose copies this start has read. The next start tries failures again.
    func delete(noted choice: GroupChoice, havingRead contents: SlotContents, in slot: Slot) {
        let read = choice.remainingOriginals.filter { original in
            (original.target ?? choice.slot) == slot
                && contents.record.accounts.contains { original.id.mayMean($0.id) }
        }
        // Originals in one record are deleted together, because the first deletion changes the revision for the rest.
        var left: [CopiedRecord: Revision] = [:]
        for record in Set(read.map(CopiedRecord.init)) {
            let ids = read.filter { CopiedRecord($0) == record }.map(\.id)
            guard let after = try? remove(ids, from: record) else { continue }
            left[record] = after.revision ?? record.revision
        }
        if left.isEmpty { return }
        _ = try? journal.change(by: deadline, isNameSynced: false) { choice in
            choice.remainingOriginals.removeAll { read.contains($0) && left[CopiedRecord($0)] != nil }
            for place in choice.remainingOriginals.indices {
                guard let revision = left[CopiedRecord(choice.remainingOriginals[place])] else { continue }
                choice.remainingOriginals[place].revision = revision
            }
        }
    }

    /// A record from which users were copied.
    private struct CopiedRecord: Hashable {
        let slot: Slot
        let revision: Revision

        init(_ original: GroupChoice.Original) {
            (slot, revision) = (original.slot, original.revision)
        }
    }

    /// Removes accounts from a record, if it has not changed since they were copied.
    ///
    /// - Returns: the contents of the slot afterwards; empty contents if the record has changed.
    private func remove(_ ids: [AccountID], from record: CopiedRecord) throws(AuthError) -> SlotContents {
        try slots.forgetLocation(of: record.slot)
        var isOther = false
        let after = try slots.update(record.slot, by: deadline) { found in
            isOther = found.revision != record.revision
            let rest = found.record.removing(notedAs: ids)
            return isOther || rest == found.record ? .keep : .store(rest)
        }
        return isOther ? SlotContents() : after
    }

    /// Returns the contents of the slot in use, and restores a copy that the keyring daemon has lost in a crash.
    ///
    /// - Throws: an error of the keyring, or the one of an item without bytes if there is no copy to restore.
    func restoring(
        _ found: UserSlots.Missing,
        in slot: Slot
    ) throws(AuthError) -> (contents: SlotContents, isRestored: Bool) {
        guard found.contents.revision == nil else { return (found.contents, false) }
        if let restored = try restoredCopy(in: slot) { return (restored, true) }
        if let emptiness = found.emptiness { throw emptiness }
        return (found.contents, false)
    }

    /// Restores a lost copy from the original that the migration left for this case; returns nil if there is no such
    /// original.
    ///
    /// A copy counts as lost, and not as signed out, if its slot is empty, its original is unchanged, and the daemon
    /// has restarted since it had the copy.
    private func restoredCopy(in slot: Slot) throws(AuthError) -> SlotContents? {
        guard let choice = try? journal.read(by: deadline) else { return nil }
        for original in choice.remainingOriginals
        where (original.target ?? choice.slot) == slot && original.slot != slot {
            guard let daemon = original.daemon, let present = operation.engine.reader.daemonRun(by: deadline),
                present != daemon,
                let source = try? slots.read(original.slot, by: deadline), source.revision == original.revision,
                var account = source.record.accounts.first(where: { original.id.mayMean($0.id) })
            else { continue }
            let name = try slots.copiedFrom(original.slot, at: original.revision)
            account.name([name.ofSession(account.tokens).noted(asLeft: true)])
            let copy = account
            let restored = try slots.update(slot, by: deadline, ifDamaged: .setAside) { found in
                found.revision == nil && found.record.isEmpty ? .store(found.record.signingIn(copy), in: .full) : .keep
            }
            _ = try? journal.change(by: deadline, isNameSynced: false) { choice in
                guard let place = choice.remainingOriginals.firstIndex(of: original) else { return }
                choice.remainingOriginals[place].daemon = present
            }
            return restored
        }
        return nil
    }

    // MARK: At a sign-out

    /// The result of deleting the originals of accounts that sign out.
    struct Deletion {
        /// The originals that could not be deleted.
        var left: [AccountID: [CopiedFrom]] = [:]
        /// The records after the deletion, by the records before it, for other accounts that were copied from them.
        var later: [CopiedFrom: CopiedFrom] = [:]
    }

    /// Returns the records that an account was copied from, according to the account and the journal.
    func originals(of account: Account, noted: [GroupChoice.Original], besides slot: Slot) -> [CopiedFrom] {
        let journaled = noted.filter { $0.id.mayMean(account.id) && $0.slot != slot }
            .compactMap { try? slots.copiedFrom($0.slot, at: $0.revision) }
        let named = account.remainingOriginals
        return (named + journaled.filter { noted in !named.contains { $0.record == noted } })
            .map { $0.ofSession(account.tokens) }
    }

    /// Deletes originals. Those in one record are deleted together, because the first deletion changes the revision for
    /// the rest.
    func delete(_ originals: [AccountID: [CopiedFrom]], _ deletion: inout Deletion) {
        var later: [CopiedFrom: CopiedFrom] = [:]
        for id in originals.keys { deletion.left[id] = [] }
        let notes = originals.flatMap { id, names in names.map { UserRecord.SignedOut(id, $0) } }
        for (record, notes) in Dictionary(grouping: notes, by: \.original.record) {
            do throws(AuthError) {
                later[record] = try slots.remove(notes, from: record, by: deadline)
            } catch {
                for note in notes { deletion.left[note.id]?.append(note.original) }
            }
        }
        deletion.later.merge(later) { _, new in new }
        let gone = originals.keys.filter { deletion.left[$0]?.isEmpty ?? true }
        if gone.isEmpty { return }
        _ = try? journal.change(by: deadline) { choice in
            choice.remainingOriginals.removeAll { original in gone.contains { original.id.mayMean($0) } }
            for place in choice.remainingOriginals.indices {
                let noted = choice.remainingOriginals[place]
                guard let copied = try? slots.copiedFrom(noted.slot, at: noted.revision), let new = later[copied] else {
                    continue
                }
                choice.remainingOriginals[place].revision = new.revision
            }
        }
    }

    /// Deletes the originals of copies that are no longer in a slot, so that no copy is restored from them.
    ///
    /// - Returns: the contents of the slot, which name the originals that could not be deleted; nil if none is left.
    func signOutLost(_ originals: [GroupChoice.Original], in slot: Slot) throws(AuthError) -> SlotContents? {
        var copied: [AccountID: [CopiedFrom]] = [:]
        for original in originals {
            copied[original.id, default: []].append(try slots.copiedFrom(original.slot, at: original.revision))
        }
        var deletion = Deletion()
        delete(copied, &deletion)
        let left = deletion.left.filter { !$0.value.isEmpty }
        if left.isEmpty { return nil }
        return try slots.update(slot, by: deadline) { found in
            .store(left.reduce(found.record) { $0.removing($1.key, leaving: $1.value) }.following(deletion.later))
        }
    }

    /// Deletes the originals of accounts that were signed out at a time when the originals could not be deleted.
    ///
    /// - Returns: the contents of the slot afterwards.
    func deleteSignedOut(in contents: SlotContents, of slot: Slot) -> SlotContents {
        var contents = contents
        for (record, notes) in Dictionary(grouping: contents.record.signedOut, by: \.original.record) {
            do throws(AuthError) {
                let later = try slots.remove(notes, from: record, by: deadline)
                contents = try slots.update(slot, by: deadline) { found in
                    let rest = notes.reduce(found.record) { $0.forgetting($1) }
                    return .store(rest.following(later.map { [record: $0] } ?? [:]))
                }
            } catch {
                continue
            }
        }
        return contents
    }

    // MARK: At a switch

    /// Deletes originals in a slot that is about to be joined, if the record of the slot in use names their accounts as
    /// signed out. Otherwise these accounts would come back. (If that record is merely gone, the original is the only
    /// copy of the user.)
    func deleteSignedOut(joining target: Slot, from choice: GroupChoice) throws(AuthError) {
        guard let slot = operation.state.slot, slot != target,
            choice.remainingOriginals.contains(where: { $0.slot == target })
        else {
            return
        }
        let scope = try slots.key(target).scopeName
        let contents: SlotContents
        do throws(AuthError) {
            contents = try slots.read(slot, by: deadline)
        } catch {
            guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            return
        }
        let left = contents.record.signedOut.filter { $0.original.scope == scope }
        for (record, notes) in Dictionary(grouping: left, by: \.original.record) {
            _ = try slots.remove(notes, from: record, by: deadline)
        }
    }
}
