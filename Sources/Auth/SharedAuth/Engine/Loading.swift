internal import Dispatch

extension Operation {
    /// Performs the first load: determines the slot in use by the options or by the stored group choice, finishes an
    /// interrupted switch or migration, and reads the user in the slot. A failure becomes the state.
    func load() {
        if let named = engine.namedSlot {
            try? watchEarly(named)
            apply(.named(named))
        }
        do throws(AuthError) {
            for _ in 1...Self.attempts {
                _ = settleJournal()
                let choice = try storedChoice()
                if engine.namedSlot == nil {
                    try checkMayUse(SlotInUse(choice))
                    try watchEarly(choice.slot)
                }
                let slot = try chosen(by: choice)
                guard let contents = try finishInterrupted(choice, in: slot) else { continue }
                try? joinNamedGroup()
                take(LeftOriginals(operation: self).deleteSignedOut(in: contents, of: slot), in: slot)
                slots.repairDuplicates(in: slot, by: deadline)
                break
            }
            if state.isLoading { throw AuthError.choiceKeepsChanging }
            // The next read of the slot tries a failed deletion again.
            if hasDeletions() { engine.observer?.readAgain() }
        } catch {
            apply(.failed(error))
        }
    }

    /// Begins to watch a slot that is about to be used and read, so that it need not be read again afterwards.
    private func watchEarly(_ slot: Slot) throws(AuthError) {
        if try !journal.keepers(of: slot, by: deadline).isEmpty { slots.expectUser(in: slot) }
        engine.observer?.watchEarly(slot, by: deadline)
    }

    /// Returns the stored choice. If the options name a group, a damaged choice counts as none, and joining the group
    /// replaces it.
    private func storedChoice() throws(AuthError) -> GroupChoice {
        if engine.namedSlot == nil { return try journal.read(by: deadline) }
        let present = try presentChoice()
        return present.isDamaged ? GroupChoice() : present.choice
    }

    /// Uses the slot that the options name, else the one of the stored choice.
    private func chosen(by choice: GroupChoice) throws(AuthError) -> Slot {
        if let named = engine.namedSlot {
            let isStored = try journal.hasChoice(by: deadline)
            if isStored, choice.slot == named { apply(.joined(SlotInUse(choice))) }
            return named
        }
        try use(SlotInUse(choice))
        return choice.slot
    }

    /// A read of the slot in use that was made outside an operation.
    struct SlotReading: Sendable {
        let slot: Slot
        let found: UserSlots.Missing
    }

    /// Reads the slot in use again because it may have changed. Listeners are called for changes.
    ///
    /// - Throws: as `slotInUse()`; `keyringChanged`, or an error of the keyring.
    func rereadSlot() throws(AuthError) {
        let slot = try slotInUse().slot
        do throws(AuthError) {
            try take(SlotReading(slot: slot, found: slots.readMissing(slot, by: deadline)))
        } catch {
            noteFailedRead(error, of: slot)
            throw error
        }
    }

    /// Adopts a read of the slot in use. Listeners are called for changes.
    ///
    /// - Throws: `keyringChanged`, an error of the keyring, or the failure to follow the app to another slot if that
    ///   may end without a signal.
    func take(_ reading: SlotReading) throws(AuthError) {
        if state.user == nil, settleJournal(), engine.namedSlot == nil {
            // The choice that was read first was another machine's.
            apply(.readChoice(SlotInUse(.own)))
            return try rereadSlot()
        }
        let slot = reading.slot
        let lefts = LeftOriginals(operation: self)
        var contents = try lefts.restoring(reading.found, in: slot).contents
        if follow(from: slot, holding: contents.record) {
            // A failure that may end without a signal needs another read.
            if let failure = state.failure, state.mayEndUnheard(failure) { throw failure }
            return
        }
        if contents.revision == nil { try engine.reader.check(slot, by: deadline) }
        if slot == state.slot { contents = try migratingOwnUser(into: contents) }
        if slot == state.slot { try? joinNamedGroup() }
        take(lefts.deleteSignedOut(in: contents, of: slot), in: slot)
        slots.repairDuplicates(in: slot, by: deadline)
        if engine.observer?.takeNewDaemon() ?? false, state.user != nil {
            engine.reader.note(.add, of: slot, in: state.collection, by: deadline)
        }
    }

    /// Finishes the steps that an earlier process of this app began and did not end, if the slot in use can be read, and
    /// brings the user of the app's own slot to the group that the options name.
    ///
    /// Steps that cannot be finished wait for the next start. A user left over in a slot that is not in use does no
    /// harm.
    /// - Returns: the contents of the slot; nil if the choice is another one now and decides about the slot.
    private func finishInterrupted(_ choice: GroupChoice, in slot: Slot) throws(AuthError) -> SlotContents? {
        var choice = choice
        for migration in choice.unfinished {
            _ = try? resume(migration)
            // The file says how far the migration got.
            choice = try storedChoice()
        }
        if try chosen(by: choice) != slot { return nil }
        let found = try slots.readMissing(slot, by: deadline)
        let (contents, isRestored) = try LeftOriginals(operation: self).restoring(found, in: slot)
        if contents.revision == nil { try engine.reader.check(slot, by: deadline) }
        let joined = try migratingOwnUser(into: contents)
        finishDeletions()
        // A copy that was just restored may be lost again.
        if !isRestored { LeftOriginals(operation: self).delete(noted: choice, havingRead: joined, in: slot) }
        // Another process may have moved the user between the two reads.
        if engine.namedSlot == nil, try journal.read(by: deadline).slot != slot { return nil }
        return joined
    }
}

extension AuthEngine {
    /// The maximum number of reads outside an operation. Calls have to wait for the read that follows.
    private static let mostReadsAside = 3

    /// Reads the slot in use again, because it may have changed. Does nothing if `isDue` returns false once no other
    /// operation runs.
    ///
    /// The slot is read outside an operation, so that no call waits for a slow keyring. An operation adopts the result
    /// afterwards. If another operation changed the state in the meantime, the result may be outdated and the slot is
    /// read again. After `mostReadsAside` attempts the slot is read inside an operation, so that a stream of calls
    /// cannot postpone the read forever.
    /// - Returns: true if a later try might succeed without a signal that announces it.
    func rereadSlot(if isDue: () -> Bool = { true }) -> Bool {
        var read: Slot?
        do throws(AuthError) {
            guard try withOperation({ _ in isDue() }) else { return false }
            for _ in 1...Self.mostReadsAside {
                let (slot, before) = try withOperation { operation throws(AuthError) in
                    (try operation.slotInUse().slot, events)
                }
                read = slot
                let reading = Operation.SlotReading(slot: slot, found: try slots.readMissing(slot, by: callDeadline))
                let isLater = try withOperation { operation throws(AuthError) -> Bool? in
                    if events != before { return nil }
                    try operation.take(reading)
                    return operation.hasLaterDeletions()
                }
                if let isLater { return isLater }
            }
            return try withOperation { operation throws(AuthError) in
                try operation.rereadSlot()
                return operation.hasLaterDeletions()
            }
        } catch {
            let isLater = try? withOperation { operation in
                operation.noteFailedRead(error, of: read)
                return operation.state.mayEndUnheard(error)
            }
            return isLater ?? error.code.mayPassUnheard
        }
    }
}

extension Operation {
    /// Returns whether a switch or a migration has left something to delete, as far as the journal can be read.
    private func hasDeletions() -> Bool {
        (try? journal.read(by: deadline))?.hasDeletions ?? true
    }

    /// Tries to delete what was left behind. Returns whether a later try might succeed without a signal that announces
    /// it.
    func hasLaterDeletions() -> Bool { finishDeletions()?.code.mayPassUnheard ?? false }

    /// Tries to delete all accounts that a switch or a migration left behind. One that cannot be deleted waits for the
    /// next read of the slot in use, and keeps no other call from succeeding.
    ///
    /// - Returns: the error of the first deletion that failed; nil if none did.
    @discardableResult
    func finishDeletions() -> AuthError? {
        (try? journal.read(by: deadline)).flatMap { finishDeletions(of: $0) }
    }

    /// Tries to finish the deletions of a choice, as the form without a choice does for the stored one.
    @discardableResult
    func finishDeletions(of choice: GroupChoice) -> AuthError? {
        var first: AuthError?
        for deletion in leftDeletions(of: choice) {
            do throws(AuthError) {
                try finish(deletion)
            } catch {
                first = first ?? error
            }
        }
        return first
    }

    /// Deletes the accounts that a switch or a migration left behind in a slot that is about to be used: they would be
    /// signed in there again.
    ///
    /// - Throws: an error of the keyring or of the journal.
    func finishDeletions(of choice: GroupChoice, in target: Slot) throws(AuthError) {
        for deletion in leftDeletions(of: choice) where deletion.slot == target { try finish(deletion) }
    }

    /// A step that deletes accounts, or the current one, from a slot that is not in use.
    private struct LeftDeletion {
        let step: GroupChoice.Pending
        let slot: Slot
        let revision: Revision
        let accounts: [AccountID]?
    }

    private func leftDeletions(of choice: GroupChoice) -> [LeftDeletion] {
        choice.steps.compactMap { step in
            guard case .deletion(let slot, let revision, let accounts) = step, slot != choice.slot, slot != state.slot
            else { return nil }
            return LeftDeletion(step: step, slot: slot, revision: revision, accounts: accounts)
        }
    }

    /// Finishes a deletion. Drops the step if its record is damaged or of a newer format, because the switch did not
    /// leave that record.
    private func finish(_ deletion: LeftDeletion) throws(AuthError) {
        do throws(AuthError) {
            try delete(deletion)
        } catch {
            guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            journal.strikeOut(deletion.step, by: deadline)
        }
    }

    /// Deletes the accounts, if their slot still has this revision, and removes the step.
    private func delete(_ deletion: LeftDeletion) throws(AuthError) {
        try slots.remove(fromUnused: deletion.slot, holding: journal, by: deadline) { left, choice in
            guard choice.steps.contains(deletion.step), left.revision == deletion.revision else { return nil }
            return left.record.removing(notedAs: deletion.accounts ?? [left.record.current].compactMap(\.self))
        } ending: { choice in
            choice.end(deletion.step)
        }
    }
}
