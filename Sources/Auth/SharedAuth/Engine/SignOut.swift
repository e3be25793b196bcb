extension Operation {
    /// Signs accounts out. This is an explicit act, so it sets a damaged record aside.
    ///
    /// Originals that a migration has left are deleted first, so that no user is signed in from them. If an original
    /// cannot be deleted, the slot's record continues to name it. Originals whose copy is no longer in the record are
    /// deleted as well.
    /// - Parameters:
    ///   - isLost: selects the accounts whose originals are deleted although no record holds their copies; all by
    ///     default.
    ///   - isMeant: selects the accounts by the contents of the slot.
    /// - Returns: the slot with its contents afterwards, and the accounts whose sessions have ended there, with their
    ///   newest tokens.
    /// - Throws: as `change`, and any error of `isMeant`.
    func signOut(
        from place: ChangePlace,
        ifDamaged policy: DamagePolicy = .setAside,
        withLost isLost: (AccountID) -> Bool = { _ in true },
        where isMeant: @escaping (Account, ChangedSlot) throws(AuthError) -> Bool
    ) throws(AuthError) -> (changed: ChangedSlot, ended: [Account]) {
        let choice = (try? journal.read(by: deadline)) ?? GroupChoice()
        let noted = choice.remainingOriginals
        let lefts = LeftOriginals(operation: self)
        var deletion = LeftOriginals.Deletion()
        var decision = Decision()
        var changed: ChangedSlot
        repeat {
            lefts.delete(decision.originals, &deletion)
            changed = try change(
                place,
                searching: deletion.left.isEmpty,
                ifDamaged: policy,
                settledIf: { found in
                    !found.contents.record.accounts.contains { (try? isMeant($0, found)) ?? true }
                }
            ) { contents, slot throws(AuthError) in
                let found = ChangedSlot(used: SlotInUse(slot), contents: contents)
                decision = Decision()
                for account in contents.record.accounts where try isMeant(account, found) {
                    decision.meant.append(account)
                    if deletion.left[account.id] != nil { continue }
                    let originals = lefts.originals(of: account, noted: noted, besides: slot)
                    if !originals.isEmpty { decision.originals[account.id] = originals }
                }
                return decision.change(of: contents.record, after: deletion)
            }
        } while !decision.originals.isEmpty
        let (slot, contents, removed) = (changed.slot, changed.contents, decision.meant)
        let ended = removed.filter { deletion.left[$0.id]?.isEmpty ?? true }
            .map { engine.unsavedTokens.overlay($0, in: slot) }
        for account in removed { engine.unsavedTokens.drop(account.id, in: slot) }
        let lost = noted.filter { original in
            (original.target ?? choice.slot) == slot && original.slot != slot
                && !contents.record.accounts.contains { original.id.mayMean($0.id) }
                && !removed.contains { original.id.mayMean($0.id) }
                && isLost(original.id)
        }
        let rest = try lefts.signOutLost(lost, in: slot)
        endCopies(of: removed, noted: choice, from: slot)
        return (ChangedSlot(used: changed.used, contents: rest ?? contents), ended)
    }

    /// The decision about a record from which accounts sign out.
    private struct Decision {
        /// The accounts that sign out.
        var meant: [Account] = []
        /// Their originals, which are deleted first.
        var originals: [AccountID: [CopiedFrom]] = [:]

        /// Returns the record without the accounts. It names the originals that could not be deleted.
        func change(of record: UserRecord, after deletion: LeftOriginals.Deletion) -> SlotChange {
            guard originals.isEmpty, !meant.isEmpty else { return .keep }
            let rest = meant.reduce(record) { $0.removing($1.id, leaving: deletion.left[$1.id] ?? []) }
            return .store(rest.following(deletion.later))
        }
    }

    /// Removes the copies of accounts that have signed out while a migration of them was unfinished: its process may
    /// have died, and then nobody else knows of the copies. An account of another sign-in stays.
    private func endCopies(of accounts: [Account], noted choice: GroupChoice, from slot: Slot) {
        for case .migration(let id, let source, let target) in choice.steps where target != slot {
            guard (source ?? choice.slot) == slot, let account = accounts.first(where: { id.mayMean($0.id) }) else {
                continue
            }
            let after = try? slots.update(target, by: deadline) { found in
                let copy = found.record.account(account.id)?.tokens
                return copy?.isOfSession(account.tokens) ?? false ? .store(found.record.removing(account.id)) : .keep
            }
            if after != nil { _ = try? journal.change(by: deadline) { $0.endMigration(of: id, to: target) } }
        }
    }
}

extension UserTokens {
    /// Indicates whether both are of one sign-in, as far as is known.
    func isOfSession(_ other: UserTokens) -> Bool {
        self == other || signIn != nil && signIn == other.signIn
    }
}

extension Operation {
    /// Signs one account out where it is, and no other. A damaged record stays in place.
    ///
    /// - Parameter condition: returns whether to sign out the account as the slot holds it.
    func signOut(
        _ id: AccountID,
        lastSeenIn slot: Slot,
        if condition: @escaping (Account, Slot) -> Bool = { _, _ in true }
    ) throws(AuthError) {
        let (changed, _) = try signOut(
            from: .account(id, lastSeenIn: slot),
            ifDamaged: .fail,
            withLost: { $0.mayMean(id) }
        ) { account, found in
            account.id == id && condition(account, found.slot)
        }
        if isInUse(changed.slot) { take(changed) }
    }
}

extension AuthEngine {
    /// Signs out a user whose tokens the identity provider rejected, if the slot still has these tokens. The caller
    /// must hold the ``ExchangeTurn`` of the slot. Errors are ignored.
    func signOut(_ user: User, of slot: Slot, ifItHas tokens: UserTokens) async {
        try? await onQueue { [self] () throws(AuthError) in
            try withOperation { operation throws(AuthError) in
                try operation.signOut(user.id, lastSeenIn: slot) { [unsavedTokens] account, slot in
                    unsavedTokens.overlay(account, in: slot).tokens.isRest(of: tokens)
                }
            }
        }
    }
}
