internal import Dispatch

extension Operation {
    /// Performs the first load: reads the stored group choice and the user in that slot, and finishes an interrupted
    /// switch or migration. A failure becomes the state.
    func load() {
        var early: SlotObserver.EarlyWatch?
        do throws(AuthError) {
            for _ in 1...Self.attempts {
                let choice = try journal.read(by: deadline)
                apply(.readChoice(choice.slot))
                try engine.identity.checkStoredChoice(of: choice.slot, in: journal.path)
                if try !journal.keepers(of: choice.slot, by: deadline).isEmpty { slots.expectUser(in: choice.slot) }
                early = engine.observer?.watchEarly(choice.slot, by: deadline)
                let (slot, contents) = try finishInterrupted(choice)
                // Another process may have moved the user between the two reads.
                if try journal.read(by: deadline).slot != slot { continue }
                if slot != choice.slot { apply(.readChoice(slot)) }
                take(LeftOriginals(operation: self).deleteSignedOut(in: contents, of: slot), in: slot)
                slots.repairDuplicates(in: slot, by: deadline)
                break
            }
            if state.isLoading { throw AuthError.choiceKeepsChanging }
            // The next read of the slot tries a failed deletion again.
            if try hasDeletions() { early = nil }
        } catch {
            apply(.failed(error))
            early = nil
            if error.code.forbidsGroup { engine.observer?.rereadLater() }
        }
        if let observer = engine.observer, let slot = try? currentSlot() { observer.follow(slot, since: early) }
    }

    /// A read of the slot in use that was made outside an operation.
    struct SlotReading: Sendable {
        let slot: Slot
        let found: UserSlots.Missing
    }

    /// Reads the slot in use again because it may have changed. Listeners are called for changes.
    ///
    /// - Throws: as `chosenSlot()`; `keyringChanged`, or an error of the keyring.
    func rereadSlot() throws(AuthError) {
        let slot = try currentSlot()
        try take(SlotReading(slot: slot, found: slots.readMissing(slot, by: deadline)))
    }

    /// Adopts a read of the slot in use. Listeners are called for changes.
    ///
    /// - Throws: `keyringChanged`, an error of the keyring, or the failure to follow the app to another slot if that
    ///   may end without a signal.
    func take(_ reading: SlotReading) throws(AuthError) {
        let slot = reading.slot
        let lefts = LeftOriginals(operation: self)
        let contents = try lefts.restoring(reading.found, in: slot).contents
        if follow(from: slot, holding: contents.record) {
            // A failure that may end without a signal needs another read.
            if let failure = state.failure, failure.code.mayPassUnheard { throw failure }
            return
        }
        if contents.revision == nil { try engine.reader.check(slot, by: deadline) }
        take(lefts.deleteSignedOut(in: contents, of: slot), in: slot)
        slots.repairDuplicates(in: slot, by: deadline)
        if engine.observer?.takeNewDaemon() ?? false, state.user != nil {
            engine.reader.note(.add, of: slot, by: deadline)
        }
        try finishDeletions()
    }

    /// Finishes the steps that an earlier process of this app began and did not end, if the slot in use can be read.
    ///
    /// Steps that cannot be finished wait for the next start. A user left over in a slot that is not in use does no
    /// harm.
    /// - Returns: the slot in use from now on, and its contents.
    private func finishInterrupted(_ choice: GroupChoice) throws(AuthError) -> (Slot, SlotContents) {
        var choice = choice
        for case .migration(let id, let target) in choice.steps {
            _ = try? resumeMigration(of: id, from: choice.slot, to: target)
            // The file says how far the migration got.
            choice = try journal.read(by: deadline)
        }
        let found = try slots.readMissing(choice.slot, by: deadline)
        let (contents, isRestored) = try LeftOriginals(operation: self).restoring(found, in: choice.slot)
        if contents.revision == nil { try engine.reader.check(choice.slot, by: deadline) }
        _ = try? finishDeletions()
        // A copy that was just restored may be lost again.
        if !isRestored { LeftOriginals(operation: self).delete(noted: choice, havingRead: contents) }
        return (choice.slot, contents)
    }
}

extension Operation {
    /// Returns whether a switch or a migration has left something to delete.
    private func hasDeletions() throws(AuthError) -> Bool {
        try journal.read(by: deadline).steps.contains { if case .deletion = $0 { true } else { false } }
    }

    /// Deletes accounts that a switch or a migration left behind. Drops a step whose record is damaged or of a newer
    /// format, because the switch did not leave that record.
    ///
    /// - Throws: any other error of the keyring or of the journal.
    func finishDeletions() throws(AuthError) {
        guard let choice = try? journal.read(by: deadline) else { return }
        for step in choice.steps {
            guard case .deletion(let slot, let revision, let accounts) = step, slot != choice.slot, slot != state.slot
            else {
                continue
            }
            do throws(AuthError) {
                try finish(step, in: slot, at: revision, accounts)
            } catch {
                guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
                journal.strikeOut(step, by: deadline)
            }
        }
    }

    /// Deletes these accounts, or the current one, from a slot that is not in use and still has this revision, and
    /// removes the step. Holds the journal meanwhile, so that no process of the app can choose the slot before the
    /// deletion is written.
    private func finish(
        _ step: GroupChoice.Pending,
        in slot: Slot,
        at revision: Revision,
        _ accounts: [AccountID]?
    ) throws(AuthError) {
        try slots.forgetLocation(of: slot)
        var hold: Journal.Hold?
        defer { hold?.release() }
        _ = try slots.update(slot, by: deadline) { left throws(AuthError) in
            let held = if let hold { hold } else { try journal.hold(by: deadline) }
            hold = held
            let choice = try journal.read(by: deadline)
            guard choice.slot != slot, choice.steps.contains(step),
                left.revision == revision
            else {
                return .keep
            }
            let rest = left.record.removing(notedAs: accounts ?? [left.record.current].compactMap(\.self))
            return rest == left.record ? .keep : .store(rest)
        }
        try hold?.change(by: deadline) { $0.end(step) }
    }
}
