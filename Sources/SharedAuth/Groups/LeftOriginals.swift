/// The originals that a migration leaves behind where the store may still forget the copy: noted in the app's journal, and named by the
/// account that was copied.
///
/// They go at a start that reads the copy, or with the sign-out of the copy; a copy that was lost in a crash of the keyring daemon is put
/// back from them.
struct LeftOriginals {
    let operation: Operation

    private var slots: UserSlots { operation.slots }
    private var journal: Journal { operation.journal }
    private var deadline: Deadline { operation.deadline }

    // MARK: At a start

    /// Deletes the originals whose copies this start has read. What fails is tried again by the next start.
    func delete(noted choice: GroupChoice, havingRead contents: SlotContents) {
        let read = choice.remainingOriginals.filter { original in
            (original.target == nil || original.target == choice.slot)
                && contents.record.accounts.contains { original.id.mayMean($0.id) }
        }
        // Those of one record go together, as the first to go leaves another revision to the rest.
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

    /// A record that users were copied from.
    private struct CopiedRecord: Hashable {
        let slot: Slot
        let revision: Revision

        init(_ original: GroupChoice.Original) {
            (slot, revision) = (original.slot, original.revision)
        }
    }

    /// Removes accounts from a record that still holds what it held when they were copied.
    ///
    /// - Returns: what the slot holds then; nothing where it held something else.
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

    /// What the slot in use holds, with a copy put back that the keyring daemon has lost in a crash.
    func restoring(
        _ found: UserSlots.Missing,
        in slot: Slot
    ) throws(AuthError) -> (contents: SlotContents, isRestored: Bool) {
        guard found.contents.revision == nil else { return (found.contents, false) }
        if let restored = try restoredCopy(in: slot) { return (restored, true) }
        if let emptiness = found.emptiness { throw emptiness }
        return (found.contents, false)
    }

    /// Puts a lost copy back from its original, which the migration left for that; nil if there is none.
    ///
    /// A copy is taken for lost, and not for signed out, if its place is empty, its original is as it was, and the daemon is
    /// another run than the one that had the copy.
    private func restoredCopy(in slot: Slot) throws(AuthError) -> SlotContents? {
        guard let choice = try? journal.read(by: deadline) else { return nil }
        for original in choice.remainingOriginals
        where (original.target ?? choice.slot) == slot && original.slot != slot {
            guard let daemon = original.daemon, let present = operation.engine.reader.daemonRun(by: deadline),
                present != daemon,
                let source = try? slots.read(original.slot, by: deadline), source.revision == original.revision,
                var account = source.record.accounts.first(where: { original.id.mayMean($0.id) })
            else { continue }
            account.remainingOriginals.append(try slots.copiedFrom(original.slot, at: original.revision))
            let copy = account
            let restored = try slots.update(slot, by: deadline, ifDamaged: .setAside) { found in
                found.revision == nil && found.record.isEmpty ? .store(found.record.signingIn(copy)) : .keep
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

    /// What has become of the originals of accounts that sign out.
    struct Deletion {
        /// Those that could not be deleted.
        var left: [AccountID: [CopiedFrom]] = [:]
        /// What a record holds now for the others who were copied from it.
        var later: [CopiedFrom: CopiedFrom] = [:]
    }

    /// The records that an account was copied from, as it says itself or as the journal does.
    func originals(of account: Account, noted: [GroupChoice.Original], besides slot: Slot) -> [CopiedFrom] {
        let journaled = noted.filter { $0.id.mayMean(account.id) && $0.slot != slot }
            .compactMap { try? slots.copiedFrom($0.slot, at: $0.revision) }
        return account.remainingOriginals + journaled.filter { !account.remainingOriginals.contains($0) }
    }

    /// Deletes originals, those of one record together, as the first to go leaves another revision to the rest.
    func delete(_ originals: [AccountID: [CopiedFrom]], _ deletion: inout Deletion) {
        var later: [CopiedFrom: CopiedFrom] = [:]
        for id in originals.keys { deletion.left[id] = [] }
        for original in Set(originals.values.joined()) {
            let ids = originals.keys.filter { originals[$0]?.contains(original) ?? false }
            do throws(AuthError) {
                later[original] = try slots.remove(ids, from: original, by: deadline)
            } catch {
                for id in ids { deletion.left[id]?.append(original) }
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

    /// Deletes the originals of copies that are not in a slot any more, so that none is put back from there.
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

    /// Deletes the originals of accounts that were signed out when that could not be done.
    func deleteSignedOut(in contents: SlotContents, of slot: Slot) -> SlotContents {
        var contents = contents
        for (original, accounts) in Dictionary(grouping: contents.record.signedOut, by: \.original) {
            do throws(AuthError) {
                let later = try slots.remove(accounts.map(\.id), from: original, by: deadline)
                contents = try slots.update(slot, by: deadline) { found in
                    let rest = accounts.reduce(found.record) { $0.forgetting($1) }
                    return .store(rest.following(later.map { [original: $0] } ?? [:]))
                }
            } catch {
                continue
            }
        }
        return contents
    }

    // MARK: At a switch

    /// Deletes the originals in a slot that is about to be joined of accounts that the record of the slot in use names as signed out, so that
    /// none comes back by them. (Where that record is merely gone, the original is all there is of the user.)
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
        let left = Dictionary(grouping: contents.record.signedOut.filter { $0.original.scope == scope }, by: \.original)
        for (original, accounts) in left { _ = try slots.remove(accounts.map(\.id), from: original, by: deadline) }
    }
}
