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
            let early = engine.observer?.watchEarly(target, by: deadline)
            // An app that names its group at each start must be able to join a damaged group. It does not name its own
            // slot at a start.
            let isOwnAgain = target == .own && state.slot == .own
            let mayBeDamaged = state.user == nil && left == nil && !isOwnAgain
            let change = SwitchedChoice(target: target, leaving: left)
            let found: Result<SlotContents, AuthError>
            var progress = Progress.done
            if left != nil, before.choice.slot == .own {
                found = try read(target, mayBeDamaged: mayBeDamaged)
                progress = try leaveOwnSlot(change, orGoBackTo: before.choice)
            } else if before.isDamaged || change.changes(before.choice) {
                found = try slots.inTurn(of: before.choice.slot, by: deadline) {
                    Result { () throws(AuthError) in try read(target, mayBeDamaged: mayBeDamaged) }
                } _: { target throws(AuthError) in
                    let found = try target.get()
                    progress = try store(change, over: before.choice.slot) ? .done : .overtaken
                    return found
                }
            } else {
                found = try read(target, mayBeDamaged: mayBeDamaged)
            }
            if case .overtaken = progress { continue }
            let used = SlotInUse(target, lastMove: SlotInUse(before.choice).lastMove)
            switch found {
            case .success(let contents): apply(.switched(to: used, contents))
            case .failure(let error): apply(.joinedDamaged(used, error))
            }
            let leavesMore =
                !change.others(in: before.choice).isEmpty || left != nil && before.choice.slot != .own
                || before.choice.hasDeletions
            if leavesMore, finishDeletions() != nil { progress = .deletionLeft }
            // The next read of the slot tries the rest of the deletion again.
            if case .done = progress {
                engine.observer?.follow(target, since: early)
            } else {
                engine.observer?.follow(target)
            }
            if case .success = found { slots.repairDuplicates(in: target, by: deadline) }
            return nil
        }
        throw .choiceKeepsChanging
    }

    /// The progress of storing the choice.
    enum Progress {
        case done
        /// Data that is left behind is still to be deleted.
        case deletionLeft
        /// Another process has stored another choice in the meantime.
        case overtaken
    }

    /// Returns the user in the app's own slot, whom joining a group leaves behind, and the revision of the slot.
    ///
    /// If the first load has failed, the slot is read now. A record that cannot be read stays in place.
    private func ownUser() throws(AuthError) -> SwitchedChoice.Left? {
        try slots.forgetLocation(of: .own)
        if state.failure == nil {
            guard let user = state.user, let revision = state.revision else { return nil }
            return SwitchedChoice.Left(account: user.id, revision: revision)
        }
        do throws(AuthError) {
            let own = try read(.own)
            return SwitchedChoice.Left(own)
        } catch {
            guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Returns the stored choice. A damaged file counts as the slot in use, because choosing again repairs it.
    func presentChoice() throws(AuthError) -> (choice: GroupChoice, isDamaged: Bool) {
        do throws(AuthError) {
            return (try journal.read(by: deadline), false)
        } catch {
            guard error.code == .stateDirectoryUnusable, error.underlying == nil else { throw error }
            return (GroupChoice(slot: state.slot ?? .own), true)
        }
    }

    /// Stores the choice; the caller holds the lock of the slot that is left.
    ///
    /// - Returns: false if another process has stored another choice in the meantime.
    func store(_ change: SwitchedChoice, over left: Slot) throws(AuthError) -> Bool {
        if try presentChoice().choice.slot != left { return false }
        try journal.change(by: deadline, replacingDamaged: true) { change.apply(to: &$0) }
        return true
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

    /// Stores the choice of a group and deletes the user in the app's own slot, as Firebase does, under one lock of
    /// that slot. Another user found there stays.
    ///
    /// - Throws: the error that prevented the switch. The former choice is put back; the message says if that fails.
    func leaveOwnSlot(
        _ change: SwitchedChoice,
        orGoBackTo before: GroupChoice
    ) throws(AuthError) -> Progress {
        let account = change.left?.account
        var isChosen: Bool?
        do throws(AuthError) {
            _ = try slots.update(.own, by: deadline, settledIf: { isChosen == true && $0.record.current != account }) {
                contents throws(AuthError) in
                if isChosen == nil { isChosen = try store(change, over: .own) }
                guard isChosen == true, let account, contents.record.current == account else { return .keep }
                return .store(contents.record.removing(account))
            }
        } catch {
            switch isChosen {
            case nil:
                // A record of the app's own slot that cannot be read stays in place.
                guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
                let isStored = try slots.inTurn(of: .own, by: deadline, reading: {}) { () throws(AuthError) in
                    try store(change, over: .own)
                }
                return isStored ? .deletionLeft : .overtaken
            case false?: return .overtaken
            case true?: break
            }
            let by = Deadline.after(engine.options.timeout)
            switch slots.outcome(ofDeletionIn: .own, failedWith: error, by: by, isDone: { $0.current != account }) {
            case .done: break
            case .notDone: try goBack(to: before, from: change, after: error, by: by)
            case .unknown: return .deletionLeft
            }
        }
        if isChosen == false { return .overtaken }
        journal.clearKeepers(of: .own, by: deadline)
        if let step = change.deletion {
            engine.afterReturn { [journal] deadline in journal.strikeOut(step, by: deadline) }
        }
        return .done
    }

    private func goBack(
        to before: GroupChoice,
        from change: SwitchedChoice,
        after error: AuthError,
        by deadline: Deadline
    ) throws(AuthError) -> Never {
        do throws(AuthError) {
            try slots.inTurn(of: change.target, by: deadline, reading: {}) { () throws(AuthError) in
                try journal.change(by: deadline) { change.takeBack(from: &$0, to: before) }
            }
        } catch let second {
            throw AuthError(
                error.code,
                "\(error.text) The group choice could not be put back either, so the next start will finish the "
                    + "switch. \(second.text)",
                underlying: error
            )
        }
        throw error
    }
}

/// The change that a switch by hand makes to the stored choice.
struct SwitchedChoice {
    /// The user in the app's own slot, whom joining a group leaves behind, and the revision of the slot.
    struct Left {
        let account: AccountID
        let revision: Revision

        init(account: AccountID, revision: Revision) {
            (self.account, self.revision) = (account, revision)
        }

        /// Creates the user who is current in the app's own slot; nil if none is.
        init?(_ own: SlotContents) {
            guard let current = own.record.current, let revision = own.revision else { return nil }
            self.init(account: current, revision: revision)
        }
    }

    let target: Slot
    let left: Left?

    init(target: Slot, leaving left: Left?) {
        (self.target, self.left) = (target, left)
    }

    /// The step that deletes the user who is left behind.
    var deletion: GroupChoice.Pending? { left.map { .deletion(of: .own, revision: $0.revision) } }

    /// Returns whether the switch changes the choice.
    func changes(_ choice: GroupChoice) -> Bool {
        var changed = choice
        apply(to: &changed)
        return changed != choice
    }

    func apply(to choice: inout GroupChoice) {
        choice.choose(target)
        // Steps of a migration, and deletions from the target, are obsolete now.
        choice.steps.removeAll { $0.isOver(inUse: target) }
        if let deletion { choice.begin(deletion) }
        // A user who is left behind is also signed out of the slot that the copy came from.
        for step in others(in: choice) { choice.begin(step) }
        choice.remainingOriginals.removeAll { $0.slot == target || (left != nil && $0.target == .own) }
    }

    /// Returns the steps that delete the originals of the user who is left behind.
    func others(in choice: GroupChoice) -> [GroupChoice.Pending] {
        guard let left else { return [] }
        return choice.remainingOriginals
            .filter { $0.target == .own && $0.slot != target && $0.id.mayMean(left.account) }
            .map { .deletion(of: $0.slot, revision: $0.revision, accounts: [$0.id]) }
    }

    /// Puts the former choice back, with the steps that the switch had ended, unless the app has chosen yet another
    /// slot.
    func takeBack(from choice: inout GroupChoice, to before: GroupChoice) {
        guard choice.slot == target else { return }
        choice.slot = before.slot
        if let deletion { choice.end(deletion) }
        for step in others(in: before) { choice.end(step) }
        for step in before.steps where step.isOver(inUse: target) { choice.begin(step) }
        choice.remainingOriginals = before.remainingOriginals
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
