extension Operation {
    /// Switches to a slot: reads and checks it; then, under the lock of the slot that is left, stores the choice and
    /// deletes the user who is left behind; then announces the change.
    ///
    /// A user is left behind only if the app joins a group from its own slot and `leavingUser` is false.
    /// - Parameter mayForget: returns whether the user with this uid may be left behind; if not, nothing changes.
    /// - Returns: the uid of the user who may not be left behind; nil if the switch was made.
    /// - Throws: `tenantIDMismatch` if the target's user has another tenant; `recordDamaged` if a user would be lost;
    ///   `conflict` if another process keeps changing the choice; an error of the keyring or of the journal.
    @discardableResult
    func switchTo(
        _ target: Slot,
        leavingUser: Bool = false,
        ifAllowed mayForget: (_ uid: String) -> Bool = { _ in true }
    ) throws(AuthError) -> String? {
        if state.isJoining, target == state.slot {
            // The options name the same group: their policy decides about the user in the app's own slot.
            try rereadSlot()
            try joinNamedGroup()
            return nil
        }
        for _ in 1...Self.attempts {
            let before = try presentChoice()
            try finishDeletions(of: before.choice, in: target)
            try slots.forgetLocation(of: target)
            let present = state.slot ?? before.choice.slot
            let left = present == .own && target != .own && !leavingUser ? try ownUser() : nil
            if let left, !mayForget(left.account.uid) { return left.account.uid }
            try LeftOriginals(operation: self).deleteSignedOut(joining: target, from: before.choice)
            engine.observer?.watchEarly(target, by: deadline)
            // An app that names its group at each start must be able to join a damaged group. It does not name its own
            // slot at a start.
            let isOwnAgain = target == .own && state.slot == .own
            let mayBeDamaged = state.user == nil && left == nil && !isOwnAgain
            var found = Result<SlotContents, AuthError>.success(SlotContents())
            let change = ChoiceChange(switchingTo: target, leaving: left)
            let end = try choose(change, over: before) { () throws(AuthError) in
                found = try read(target, mayBeDamaged: mayBeDamaged)
            }
            if case .overtaken = end { continue }
            let used = SlotInUse(target, lastMove: SlotInUse(before.choice).lastMove)
            switch found {
            case .success(let contents): apply(.switched(to: used, contents))
            case .failure(let error): apply(.failed(error, in: used))
            }
            let leavesMore =
                !change.others(in: before.choice).isEmpty || left != nil && before.choice.slot != .own
                || before.choice.hasDeletions
            let isRestDone = !leavesMore || finishDeletions() == nil
            // The next read of the slot tries the rest of the deletion again.
            let isWhole = if case .leftBehind = end { false } else { isRestDone }
            if !isWhole { engine.observer?.readAgain() }
            if case .success = found { slots.repairDuplicates(in: target, by: deadline) }
            return nil
        }
        throw .choiceKeepsChanging
    }

    /// The stored choice before a switch. A damaged file counts as the slot in use, because choosing again repairs it.
    struct PresentChoice {
        let choice: GroupChoice
        var isDamaged = false
    }

    func presentChoice() throws(AuthError) -> PresentChoice {
        do throws(AuthError) {
            return PresentChoice(choice: try journal.read(by: deadline))
        } catch {
            guard error.code == .stateDirectoryUnusable, error.underlying == nil else { throw error }
            return PresentChoice(choice: GroupChoice(slot: state.slot ?? .own), isDamaged: true)
        }
    }

    /// Stores a choice, after the target was read, and deletes the user in the app's own slot whom it leaves behind, as
    /// Firebase does. Another user found there stays.
    ///
    /// - Parameter readTarget: reads and checks the target.
    /// - Throws: the error that prevented the switch. The former choice is put back; the message says if that fails.
    func choose(
        _ change: ChoiceChange,
        over before: PresentChoice,
        readingTarget readTarget: @escaping () throws(AuthError) -> Void = {}
    ) throws(AuthError) -> Move.End {
        let deletesNow = change.left != nil && before.choice.slot == .own
        let isNews = before.isDamaged || change.changes(before.choice)
        // Without a deletion, the target is read while the lock is acquired.
        if deletesNow || !isNews { try readTarget() }
        if !isNews { return .kept }
        let move = MoveRunner(switching: engine, change, over: before, by: deadline) { () throws(AuthError) in
            if !deletesNow { try readTarget() }
        }.run()
        if let error = move.apps.first?.failure { throw error }
        switch move.end {
        case .overtaken, .leftBehind: break
        case .deleted, .kept:
            guard deletesNow, let step = change.deletion else { break }
            // Another user may be there who has not been left behind.
            if move.isDeleted { journal.clearKeepers(of: .own, by: deadline) }
            engine.afterReturn { [journal] deadline in journal.strikeOut(step, by: deadline) }
        }
        return move.end
    }

    /// Returns the user in the app's own slot, whom joining a group leaves behind, and the revision of the slot.
    ///
    /// If the first load has failed, the slot is read now. A record that cannot be read stays in place.
    private func ownUser() throws(AuthError) -> ChoiceChange.Left? {
        try slots.forgetLocation(of: .own)
        if state.failure == nil {
            guard let user = state.user, let revision = state.revision else { return nil }
            return ChoiceChange.Left(account: user.id, revision: revision)
        }
        do throws(AuthError) {
            let own = try read(.own)
            return ChoiceChange.Left(own)
        } catch {
            guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Reads the target and checks its tenant. Damage is returned instead of thrown if no user is lost by it.
    private func read(_ target: Slot, mayBeDamaged: Bool) throws(AuthError) -> Result<SlotContents, AuthError> {
        let contents: SlotContents
        do throws(AuthError) {
            contents = try read(target)
        } catch {
            guard error.code == .recordDamaged else { throw error }
            if mayBeDamaged { return .failure(error) }
            if state.slot != .own || target == .own { throw error }
            throw AuthError(
                .recordDamaged,
                "\(error.message) The user of the app's own slot would be lost by joining.",
                remedy: "To bring the user along and set the damaged record aside, call "
                    + "migrateCurrentUser(toAccessGroup:policy:) with the policy replace.",
                underlying: error
            )
        }
        try state.checkTenant(of: contents.record.currentAccount)
        return .success(contents)
    }
}

extension UserSlots {
    /// The outcome of a deletion that failed.
    enum DeletionOutcome {
        case done
        case notDone
        /// It may have been done; the next read of the slot, or the next start, finishes it.
        case unknown
    }

    /// Determines whether a deletion that failed after the choice was stored was done nevertheless. Switch and
    /// migration share one rule: the former choice is put back only if the user is certainly still in that slot.
    /// Otherwise the app could end in a slot without a user.
    func outcome(
        ofDeletionIn slot: Slot,
        failedWith error: AuthError,
        by deadline: Deadline,
        isDone: (UserRecord) -> Bool
    ) -> DeletionOutcome {
        // A deletion without a response may still be carried out after the slot was read.
        if error.code == .outcomeUnknown { return .unknown }
        guard let found = try? read(slot, by: deadline) else { return .unknown }
        return isDone(found.record) ? .done : .notDone
    }
}
