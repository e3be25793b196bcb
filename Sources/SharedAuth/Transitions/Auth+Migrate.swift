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
}

extension Auth {
    /// Moves a user: note what is begun, copy and read back, store the choice, delete the original.
    func migrate(
        _ user: User,
        from source: Slot,
        to target: Slot,
        _ policy: MigrationPolicy,
        _ operation: Operation
    ) throws(AuthError) {
        let before = memory.withLock { $0.choice } ?? GroupChoice(slot: source)
        try choiceFile.write(GroupChoice(slot: source, pending: .migration(of: user.uid, to: target)))
        let copy: SlotContents
        var overwritten: UserRecord?
        do throws(AuthError) {
            copy = try place(user.snapshot, in: target, policy, operation.deadline, overwritten: &overwritten)
        } catch {
            // Where the outcome is unknown, the note stays for the next start to settle it.
            if error.code != .outcomeUnknown { try? choiceFile.write(before) }
            throw error
        }
        do throws(AuthError) {
            let settled = try leave(source, for: target, with: user, copy, operation.deadline)
            memory.withLock { memory in
                memory.choice = settled.choice
                if let account = settled.contents.record.account(user.uid) { user.replace(with: account) }
                user.attach(to: self, in: target)
                settle(user, at: settled.contents.revision, in: &memory)
            }
        } catch {
            takeBack(copy, from: target, restoring: overwritten, before)
            throw error
        }
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
        guard let account = copy.record.currentAccount, account.uid == uid else {
            // The copy never arrived: the migration never was.
            let choice = GroupChoice(slot: source)
            try choiceFile.write(choice)
            return choice
        }
        return try leave(source, for: target, with: User(account, auth: nil, slot: target), copy, deadline).choice
    }

    /// Copies an account to where it moves, and reads it back.
    private func place(
        _ account: Account,
        in target: Slot,
        _ policy: MigrationPolicy,
        _ deadline: Deadline,
        overwritten: inout UserRecord?
    ) throws(AuthError) -> SlotContents {
        var before: UserRecord?
        let written: SlotContents
        do throws(AuthError) {
            written = try slots.update(target, within: deadline) { contents throws(AuthError) in
                let occupant = contents.record.currentAccount
                if let occupant, occupant.uid != account.uid, policy != .replace { throw .occupied(target) }
                before = contents.record
                // Should the same user be there with tokens that last longer, those are the good ones.
                if let occupant, occupant.uid == account.uid,
                    occupant.tokens.expirationDate > account.tokens.expirationDate
                {
                    return .keep
                }
                return .store(contents.record.signingIn(account, keepingOthers: options.keepsOtherUsers))
            }
        } catch {
            guard error.code == .outcomeUnknown,
                let found = try? slots.read(target, within: .after(options.deadline)),
                found.record.currentAccount == account
            else { throw error }
            overwritten = before
            return found
        }
        overwritten = before
        let found = try slots.read(target, within: deadline)
        guard found.revision == written.revision else {
            throw AuthError(.conflict, "Another app changed \(target.description) meanwhile. Read again and repeat.")
        }
        return found
    }

    /// Stores the choice of the target, and deletes the original; if a peer gave that newer tokens meanwhile, they are
    /// copied first.
    private func leave(
        _ source: Slot,
        for target: Slot,
        with user: User,
        _ copy: SlotContents,
        _ deadline: Deadline
    ) throws(AuthError) -> (choice: GroupChoice, contents: SlotContents) {
        var copy = copy
        var original = try slots.read(source, within: deadline)
        for _ in 0..<3 {
            if let account = original.record.account(user.uid),
                account.tokens != copy.record.currentAccount?.tokens,
                account.tokens.expirationDate > user.snapshot.tokens.expirationDate
            {
                copy = try slots.update(target, within: deadline) { .store($0.record.signingIn(account)) }
                user.replace(with: account)
            }
            var choice = GroupChoice(slot: target)
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

    private func delete(
        _ uid: String,
        from slot: Slot,
        at revision: Revision?,
        within deadline: Deadline
    ) throws(AuthError) -> SlotContents {
        do throws(AuthError) {
            return try slots.update(slot, within: deadline) { contents in
                contents.revision == revision ? .store(contents.record.removing(uid)) : .keep
            }
        } catch {
            guard error.code == .outcomeUnknown,
                let contents = try? slots.read(slot, within: .after(options.deadline)),
                contents.record.account(uid) == nil
            else { throw error }
            return contents
        }
    }

    /// Takes the copy back after a failure, as far as the keyring lets it; what it does not, the next start does.
    private func takeBack(
        _ copy: SlotContents,
        from target: Slot,
        restoring overwritten: UserRecord?,
        _ before: GroupChoice
    ) {
        // The same user was there before: that is no copy to take back.
        let wasThere = overwritten?.currentAccount?.uid == copy.record.currentAccount?.uid
        guard let revision = copy.revision, !wasThere else {
            try? choiceFile.write(before)
            return
        }
        var choice = before
        choice.pending = .deletion(of: target, revision: revision)
        try? choiceFile.write(choice)
        let undone = try? slots.update(target, within: .after(options.deadline)) { contents in
            contents.revision == revision ? .store(overwritten ?? UserRecord()) : .keep
        }
        if undone != nil { try? choiceFile.write(before) }
    }
}
