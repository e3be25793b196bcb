internal import Dispatch

extension Operation {
    /// The first load: the stored choice of group, the user in that slot, and what an interrupted switch left to do.
    func load() {
        var early: SlotObserver.EarlyWatch?
        do throws(AuthError) {
            let choice = try journal.read()
            apply(.readChoice(choice.slot))
            try engine.identity.checkStoredChoice(of: choice.slot, in: journal.path)
            if !journal.keepers(of: choice.slot).isEmpty { slots.expectUser(in: choice.slot) }
            early = engine.observer?.watchEarly(choice.slot, by: deadline)
            let (slot, contents) = try finishInterrupted(choice)
            if slot != choice.slot { apply(.readChoice(slot)) }
            take(deleteSignedOut(in: contents, of: slot), in: slot)
            slots.repairDuplicates(in: slot, by: deadline)
            // A deletion that failed is tried again by the next look.
            if !journal.deletions.isEmpty { early = nil }
        } catch {
            apply(.failed(error))
            early = nil
        }
        if let observer = engine.observer, let slot = try? currentSlot() { observer.follow(slot, since: early) }
    }

    /// Reads the slot in use again, because it may have changed; listeners are called for what is new.
    func look() throws(AuthError) {
        let slot = try currentSlot()
        try look(at: slot, having: slots.readMissing(slot, by: deadline))
    }

    /// Takes over what was read of the slot in use since the last event; listeners are called for what is new.
    func look(at slot: Slot, having found: UserSlots.Missing) throws(AuthError) {
        let contents = try restoring(found, in: slot).contents
        if followUser(from: slot, holding: contents) {
            // For what may pass without a signal, the look is to be repeated.
            if let failure = state.failure, failure.code.mayPassUnheard { throw failure }
            return
        }
        if contents.revision == nil { try engine.reader.check(slot, by: deadline) }
        take(deleteSignedOut(in: contents, of: slot), in: slot)
        slots.repairDuplicates(in: slot, by: deadline)
        if engine.observer?.takeNewDaemon() ?? false, state.user != nil {
            engine.reader.note(.add, of: slot, by: deadline)
        }
        try finishDeletions()
    }

    /// Finishes what an earlier process of this app began and did not end, if what is in use can be read.
    ///
    /// What cannot be finished waits for the next start; a user left over in a slot that is not in use does no harm.
    /// - Returns: the slot in use from now on, and what it holds.
    private func finishInterrupted(_ choice: GroupChoice) throws(AuthError) -> (Slot, SlotContents) {
        var choice = choice
        for case .migration(let uid, let target) in choice.steps {
            _ = try? Migration.resume(of: uid, from: choice.slot, to: target, self)
            // The file says how far it came.
            choice = try journal.read()
        }
        for step in choice.steps { if case .deletion = step { journal.adopt(step) } }
        let found = try slots.readMissing(choice.slot, by: deadline)
        let (contents, isRestored) = try restoring(found, in: choice.slot)
        if contents.revision == nil { try engine.reader.check(choice.slot, by: deadline) }
        _ = try? finishDeletions()
        // A copy that was just put back may be lost again.
        if !isRestored { deleteOriginals(noted: choice, havingRead: contents) }
        return (choice.slot, contents)
    }

    /// Deletes what a switch or migration had to leave behind. A record that cannot be read is not what it left.
    func finishDeletions() throws(AuthError) {
        for step in journal.deletions {
            guard case .deletion(let slot, let revision, let uids) = step else { continue }
            do throws(AuthError) {
                try removeLeftBehind(uids, in: slot, at: revision)
            } catch {
                guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            }
            journal.strikeOut(step, by: deadline)
        }
    }

    /// Removes users, or the current one, of a slot that is not in use, if it holds what it held at this revision.
    ///
    /// - Returns: what the slot holds then; nothing where it held something else.
    @discardableResult
    private func removeLeftBehind(
        _ uids: [String]?,
        in slot: Slot,
        at revision: Revision
    ) throws(AuthError) -> SlotContents {
        try slots.forgetLocation(of: slot)
        var isOther = false
        let after = try slots.update(slot, by: deadline) { left in
            isOther = left.revision != revision
            if isOther { return .keep }
            let uids = uids ?? [left.record.current].compactMap(\.self)
            guard uids.contains(where: { left.record.account($0) != nil }) else { return .keep }
            return .store(left.record.removing(uids))
        }
        return isOther ? SlotContents() : after
    }

    /// Deletes the originals whose copies this start has read. What fails is tried again by the next start.
    private func deleteOriginals(noted choice: GroupChoice, havingRead contents: SlotContents) {
        let read = choice.remainingOriginals.filter { original in
            (original.target == nil || original.target == choice.slot) && contents.record.account(original.uid) != nil
        }
        // Those of one record go together, as the first to go leaves another revision to the rest.
        var left: [CopiedRecord: Revision] = [:]
        for record in Set(read.map(CopiedRecord.init)) {
            let uids = read.filter { CopiedRecord($0) == record }.map(\.uid)
            guard let after = try? removeLeftBehind(uids, in: record.slot, at: record.revision) else { continue }
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

    /// What the slot in use holds, with a copy put back that the keyring daemon has lost in a crash.
    private func restoring(
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
        guard let choice = try? journal.read() else { return nil }
        for original in choice.remainingOriginals
        where (original.target ?? choice.slot) == slot && original.slot != slot {
            guard let daemon = original.daemon, let present = engine.reader.daemonRun(by: deadline),
                present != daemon,
                let source = try? slots.read(original.slot, by: deadline), source.revision == original.revision,
                var account = source.record.account(original.uid)
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
}
