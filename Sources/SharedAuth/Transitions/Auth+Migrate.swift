internal import SecretService
internal import Synchronization

extension AuthError {
    static func occupied(_ slot: Slot) -> AuthError {
        AuthError(
            .accessGroupOccupied,
            "Another user is signed in to \(slot.description). Sign them out there, or migrate with the policy replace "
                + "or keepTarget."
        )
    }

    fileprivate static func changedMeanwhile(_ slot: Slot) -> AuthError {
        AuthError(.conflict, "Another app changed \(slot.description) meanwhile. Read again and repeat.")
    }

    /// What a migration throws that could neither be finished nor be taken back.
    fileprivate static func unsettled(_ error: AuthError) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "\(error.text) The copy at the target could not be taken back; migrate again, or the next start finishes "
                + "the migration.",
            underlying: error
        )
    }
}

extension Auth {
    /// A copy that was made in the target, and what it took the place of.
    private struct Copy {
        var contents: SlotContents
        let overwritten: UserRecord
        /// Whether this migration wrote it; else the same user was there already, with better tokens.
        let isOurs: Bool
    }

    /// Moves a user: note what is begun, copy and read back, store the choice, delete the original.
    func migrate(
        _ user: User,
        from source: Slot,
        to target: Slot,
        _ policy: MigrationPolicy,
        _ operation: Operation
    ) throws(AuthError) {
        let before = memory.withLock { $0.choice } ?? GroupChoice(slot: source)
        var noted = before
        noted.pending = .migration(of: user.uid, to: target)
        try choiceFile.write(noted)
        let copy: Copy
        do throws(AuthError) {
            copy = try place(user.snapshot, in: target, policy, operation.deadline)
        } catch {
            // Where the outcome is unknown, the note stays for the next start to settle it.
            if error.code != .outcomeUnknown { try? choiceFile.write(before) }
            throw error
        }
        let settled: (choice: GroupChoice, contents: SlotContents)
        do throws(AuthError) {
            try confirm(copy, in: target, operation.deadline)
            settled = try leave(source, for: target, with: user, copy.contents, operation.deadline)
        } catch {
            let reached = try choiceFile.read()
            // Once the choice is stored, an original that may or may not be deleted is no reason to go back.
            if reached.slot == source || error.code != .outcomeUnknown {
                if takeBack(copy, from: target, reached, noted, before) { throw error }
                guard reached.slot == target else { throw .unsettled(error) }
            }
            // The copy is safe; what may be left behind goes as soon as the keyring lets it.
            settled = (reached, copy.contents)
        }
        memory.withLock { memory in
            memory.choice = settled.choice
            if let account = settled.contents.record.account(user.uid) { user.takeOver(account) }
            user.attach(to: self, in: target)
            settle(user, at: settled.contents.revision, in: &memory)
        }
        providerNotes.clear(source)
        if let feed { follow(target, with: feed) }
    }

    /// Goes on with a migration whose process died, if the copy had arrived.
    ///
    /// - Returns: the choice that holds from now on.
    func resumeMigration(
        of uid: String,
        from source: Slot,
        to target: Slot,
        within deadline: Deadline
    ) throws(AuthError) -> GroupChoice {
        if let group = target.groupName { _ = try identity.accessGroup(named: group) }
        let copy = try slots.read(target, within: deadline)
        // Before the choice is stored nothing is deleted: a user who is missing was signed out there since.
        let isThere = try slots.read(source, within: deadline).record.account(uid) != nil
        guard isThere, let account = copy.record.currentAccount, account.uid == uid else {
            // The copy never arrived, or is of nobody any more: the migration never was.
            var choice = try choiceFile.read()
            choice.pending = nil
            try choiceFile.write(choice)
            return choice
        }
        return try leave(source, for: target, with: User(account, auth: nil, slot: target), copy, deadline).choice
    }

    /// Copies an account to where it moves.
    private func place(
        _ account: Account,
        in target: Slot,
        _ policy: MigrationPolicy,
        _ deadline: Deadline
    ) throws(AuthError) -> Copy {
        var before = UserRecord()
        var isOurs = false
        let contents = try slots.update(
            target,
            within: deadline,
            settledIf: { $0.record.currentAccount == account }
        ) { found throws(AuthError) in
            let occupant = found.record.currentAccount
            if let occupant, occupant.uid != account.uid, policy != .replace { throw .occupied(target) }
            before = found.record
            // Should the same user be there with tokens that last longer, those are the good ones.
            if let occupant, occupant.uid == account.uid,
                occupant.tokens.expirationDate > account.tokens.expirationDate
            {
                return .keep
            }
            isOurs = true
            return .store(found.record.signingIn(account, keepingOthers: options.keepsOtherUsers))
        }
        return Copy(contents: contents, overwritten: before, isOurs: isOurs)
    }

    /// Reads a copy back.
    private func confirm(_ copy: Copy, in target: Slot, _ deadline: Deadline) throws(AuthError) {
        if try slots.read(target, within: deadline).revision == copy.contents.revision { return }
        throw .changedMeanwhile(target)
    }

    /// Stores the choice of the target, and deletes the original; if a peer gave that newer tokens meanwhile, they are
    /// copied first. Where the store may still forget the copy, the original is left for a later start.
    private func leave(
        _ source: Slot,
        for target: Slot,
        with user: User,
        _ copy: SlotContents,
        _ deadline: Deadline
    ) throws(AuthError) -> (choice: GroupChoice, contents: SlotContents) {
        var copy = copy
        var original = try slots.read(source, within: deadline)
        let isDurable = try isStoreDurable(for: target, within: deadline)
        let originals = try choiceFile.read().originals(leaving: target)
        for _ in 0..<3 {
            if let account = original.record.account(user.uid),
                account.tokens != copy.record.currentAccount?.tokens,
                account.tokens.expirationDate > user.snapshot.tokens.expirationDate
            {
                let read = copy.revision
                copy = try slots.update(target, within: deadline) { found throws(AuthError) in
                    guard found.revision == read else { throw .changedMeanwhile(target) }
                    return .store(found.record.replacing(account))
                }
                user.takeOver(account)
            }
            var choice = GroupChoice(slot: target, originals: originals)
            if !isDurable, let revision = original.revision, original.record.current == user.uid {
                let left = GroupChoice.Original(uid: user.uid, slot: source, revision: revision)
                choice.originals = (originals ?? []) + [left]
                try choiceFile.write(choice)
                return (choice, copy)
            }
            choice.pending = original.revision.map { .deletion(of: source, revision: $0) }
            try choiceFile.write(choice)
            let left = try delete(user.uid, from: source, at: original.revision, within: deadline)
            if left.record.account(user.uid) == nil {
                choice.pending = nil
                // Should this be lost, the next start finds nothing left to delete.
                try? choiceFile.write(choice, durably: false)
                return (choice, copy)
            }
            original = left
        }
        throw AuthError(.conflict, "Another app keeps changing \(source.description). Try again.")
    }

    private func isStoreDurable(for slot: Slot, within deadline: Deadline) throws(AuthError) -> Bool {
        do throws(RecordStoreError) {
            return try slots.store.isDurableOnAcknowledge(within: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
    }

    private func delete(
        _ uid: String,
        from slot: Slot,
        at revision: Revision?,
        within deadline: Deadline
    ) throws(AuthError) -> SlotContents {
        try slots.update(slot, within: deadline, settledIf: { $0.record.account(uid) == nil }) { contents in
            contents.revision == revision ? .store(contents.record.removing(uid)) : .keep
        }
    }

    /// Takes the copy back after a failure, the choice first, so that at no instant the stored choice is of a slot that
    /// does not hold the user.
    ///
    /// - Returns: whether all is as before; if not, the stored choice says how far it came.
    private func takeBack(
        _ copy: Copy,
        from target: Slot,
        _ reached: GroupChoice,
        _ noted: GroupChoice,
        _ before: GroupChoice
    ) -> Bool {
        if reached != noted, (try? choiceFile.write(noted)) == nil { return false }
        if copy.isOurs {
            let undone = try? slots.update(target, within: .after(options.deadline)) { found in
                found.revision == copy.contents.revision ? .store(copy.overwritten) : .keep
            }
            if undone == nil {
                if reached != noted { try? choiceFile.write(reached) }
                return false
            }
        }
        return (try? choiceFile.write(before)) != nil
    }
}
