extension Operation {
    /// Switches to a slot: read and check it, store the choice, delete what is left behind, announce.
    ///
    /// Only joining a group from the own slot leaves something behind, unless `leavingUser`.
    /// - Parameter mayForget: whether the user of this uid may be left behind; if not, nothing changes.
    /// - Returns: the uid of the user who may not be left behind; nil if the switch was made.
    @discardableResult
    func switchTo(
        _ target: Slot,
        leavingUser: Bool = false,
        ifAllowed mayForget: (_ uid: String) -> Bool = { _ in true }
    ) throws(AuthError) -> String? {
        if state.failure == nil { try finishDeletions() }
        let before = try presentChoice()
        try slots.forgetLocation(of: target)
        let present = state.slot ?? (try? journal.read().slot)
        let left = present == .own && target != .own && !leavingUser ? try ownUser() : nil
        if let left, !mayForget(left.uid) { return left.uid }
        try dropOriginal(in: target, of: before)
        let early = engine.observer?.watchEarly(target, by: deadline)
        // An app that names its group at each start must not be shut out by damage there; the own slot is not named.
        let isOwnAgain = target == .own && state.slot == .own
        let found = try look(at: target, mayBeDamaged: state.user == nil && left == nil && !isOwnAgain)
        if case .success(let contents) = found { try state.checkTenant(of: contents.record.currentAccount) }
        let step = left.map { GroupChoice.Pending.deletion(of: .own, revision: $0.revision) }
        try journal.change(by: deadline, replacingDamaged: true) { choice in
            choice.slot = target
            // What a migration still had to do, and what was still to be deleted of the target, is of no use any more.
            choice.steps.removeAll { $0.isOver(inUse: target) }
            if let step { choice.begin(step) }
            choice.remainingOriginals.removeAll { $0.slot == target || (step != nil && $0.target == .own) }
        }
        var isDone = true
        if let step, let left {
            journal.adopt(step)
            isDone = try leaveOwnSlot(left.uid, step, orGoBackTo: before)
        }
        switch found {
        case .success(let contents): apply(.switched(to: target, contents))
        case .failure(let error): apply(.joinedDamaged(target, error))
        }
        // What is still to be deleted is tried again by a look at once.
        engine.observer?.follow(target, since: isDone ? early : nil)
        if case .success = found { slots.repairDuplicates(in: target, by: deadline) }
        return nil
    }

    /// The own slot's user, whom joining a group leaves behind, and the write that they came with.
    ///
    /// Where the first load has failed, the slot is read now; what is in a record that cannot be read stays there.
    private func ownUser() throws(AuthError) -> (uid: String, revision: Revision)? {
        try slots.forgetLocation(of: .own)
        if state.failure == nil {
            guard let uid = state.user?.uid, let revision = state.revision else { return nil }
            return (uid, revision)
        }
        do throws(AuthError) {
            let own = try read(.own)
            guard let uid = own.record.current, let revision = own.revision else { return nil }
            return (uid, revision)
        } catch {
            guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            return nil
        }
    }

    /// The choice that is stored; a damaged file counts as none, because choosing again repairs it.
    private func presentChoice() throws(AuthError) -> GroupChoice {
        do throws(AuthError) {
            var choice = try journal.read()
            // Another process of this app may have chosen since; this one is still where it is.
            if let slot = state.slot { choice.slot = slot }
            return choice
        } catch {
            guard error.code == .stateDirectoryUnusable, error.underlying == nil else { throw error }
            return GroupChoice(slot: state.slot ?? .own)
        }
    }

    /// What the target holds; damage is an answer where no user is lost by it.
    private func look(at target: Slot, mayBeDamaged: Bool) throws(AuthError) -> Result<SlotContents, AuthError> {
        do throws(AuthError) {
            return .success(try read(target))
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
    }

    /// A user who was copied from the target, and whom the record of the slot in use names as signed out since, must not come
    /// back by the original. (Where that record is merely gone, the original is all there is of the user.)
    private func dropOriginal(in target: Slot, of choice: GroupChoice) throws(AuthError) {
        guard let slot = state.slot, slot != target, choice.remainingOriginals.contains(where: { $0.slot == target })
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
        for (original, users) in left { _ = try slots.remove(users.map(\.uid), from: original, by: deadline) }
    }

    /// Deletes the own slot's user on joining a group, as Firebase does; another user found there stays.
    ///
    /// - Returns: whether it is done; else it is still to be done.
    /// - Throws: why not; the choice is as before then.
    private func leaveOwnSlot(
        _ uid: String,
        _ step: GroupChoice.Pending,
        orGoBackTo before: GroupChoice
    ) throws(AuthError) -> Bool {
        do throws(AuthError) {
            _ = try slots.update(.own, by: deadline, settledIf: { $0.record.current != uid }) { contents in
                contents.record.current == uid ? .store(contents.record.removing(uid)) : .keep
            }
        } catch {
            let by = Deadline.after(engine.options.timeout)
            switch outcome(ofDeletionIn: .own, failedWith: error, by: by, isDone: { $0.current != uid }) {
            case .done: return isLeft(step)
            case .notDone: try goBack(to: before, from: step, after: error)
            case .unknown: return false
            }
        }
        return isLeft(step)
    }

    private func isLeft(_ step: GroupChoice.Pending) -> Bool {
        journal.drop(step)
        journal.clearKeepers(of: .own, by: deadline)
        engine.afterReturn { [journal] deadline in journal.strikeOut(step, by: deadline) }
        return true
    }

    private func goBack(
        to before: GroupChoice,
        from step: GroupChoice.Pending,
        after error: AuthError
    ) throws(AuthError) -> Never {
        journal.drop(step)
        do throws(AuthError) {
            try journal.change(by: .after(engine.options.timeout)) { choice in
                choice.slot = before.slot
                choice.remainingOriginals = before.remainingOriginals
                choice.end(step)
            }
        } catch let second {
            throw AuthError(
                error.code,
                "\(error.text) The choice of group could not be put back either, so the next start will finish the "
                    + "switch. \(second.text)",
                underlying: error
            )
        }
        throw error
    }
}

extension Operation {
    /// What became of a deletion that failed.
    enum DeletionOutcome {
        case done
        case notDone
        /// It may have been done; a look, or the next start, finishes it.
        case unknown
    }

    /// Finds out whether a deletion that failed after the choice was stored was done all the same. One rule for switch and
    /// migration: only where the user is certainly still there may the choice go back, else a choice could be stored of a slot
    /// without a user.
    func outcome(
        ofDeletionIn slot: Slot,
        failedWith error: AuthError,
        by deadline: Deadline,
        isDone: (UserRecord) -> Bool
    ) -> DeletionOutcome {
        // An unanswered deletion may still be carried out after the slot was read.
        if error.code == .outcomeUnknown { return .unknown }
        guard let found = try? slots.read(slot, by: deadline) else { return .unknown }
        return isDone(found.record) ? .done : .notDone
    }
}
