extension Operation {
    /// Signs accounts out. This is an explicit act, so it sets a damaged record aside.
    ///
    /// Originals that a migration has left are deleted first, so that no user is signed in from them. If an original
    /// cannot be deleted, the slot's record continues to name it. Originals whose copy is no longer in the record are
    /// deleted as well.
    /// - Parameters:
    ///   - reach: the copies of the accounts' sessions that end, too.
    ///   - isLost: selects the accounts whose originals are deleted although no record holds their copies; all by
    ///     default.
    ///   - isMeant: selects the accounts by the contents of the slot.
    /// - Returns: the slot with its contents afterwards, and the accounts that have signed out, with their newest tokens.
    ///   Whether their sessions are to be revoked is decided by what the slots hold.
    /// - Throws: as `change`, and any error of `isMeant`.
    func signOut(
        from place: ChangePlace,
        ifDamaged policy: DamagePolicy = .setAside,
        reaching reach: SignOutReach = .session,
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
                decision = Decision(revision: contents.revision)
                for account in contents.record.accounts where try isMeant(account, found) {
                    decision.meant.append(account)
                    if deletion.left[account.id] != nil { continue }
                    let originals = reach.originals(lefts.originals(of: account, noted: noted, besides: slot))
                    if !originals.isEmpty { decision.originals[account.id] = originals }
                }
                return decision.change(of: contents.record, after: deletion)
            }
        } while !decision.originals.isEmpty
        let (slot, contents, removed) = (changed.slot, changed.contents, decision.meant)
        let ended = removed.map { engine.unsavedTokens.overlay($0, in: slot) }
        for account in removed { engine.unsavedTokens.drop(account.id, in: slot) }
        let lost = noted.filter { original in
            (original.target ?? choice.slot) == slot && original.slot != slot
                && !contents.record.accounts.contains { original.id.mayMean($0.id) }
                && !removed.contains { original.id.mayMean($0.id) }
                && isLost(original.id)
        }
        let rest = try lefts.signOutLost(lost, in: slot)
        endCopies(of: removed, reach, from: changed.used, at: decision.revision)
        return (ChangedSlot(used: changed.used, contents: rest ?? contents), ended)
    }

    /// The decision about a record from which accounts sign out.
    private struct Decision {
        /// The revision of the record.
        var revision: Revision?
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

    /// Removes the copies of accounts that have signed out of a slot, in the slots to which they were migrated, or are
    /// being migrated: this process may not have followed yet, or the migrating one may have died, and then nobody else
    /// knows of the copies.
    ///
    /// - Parameter revision: the revision of the slot that had the accounts.
    private func endCopies(
        of accounts: [Account],
        _ reach: SignOutReach,
        from used: SlotInUse,
        at revision: Revision?
    ) {
        guard !accounts.isEmpty, let choice = try? journal.read(by: deadline) else { return }
        let original = revision.flatMap { try? slots.copiedFrom(used.slot, at: $0) }
        for account in accounts {
            for target in choice.targets(of: account.id, from: used, isJoining: state.isJoining) {
                let after = try? slots.update(target, by: deadline) { found in
                    guard let copy = found.record.account(account.id), reach.ends(copy, of: account, in: original)
                    else { return .keep }
                    let others = copy.remainingOriginals.filter { $0.scope != original?.scope }
                    return .store(found.record.removing(copy.id, leaving: reach.originals(others)))
                }
                if after != nil, choice.isMoving(to: target) {
                    _ = try? journal.change(by: deadline) { $0.endMigration(of: account.id, to: target) }
                }
            }
        }
    }
}

/// The copies of a session that a sign-out ends, in slots to which the user was copied or from which the user came.
enum SignOutReach {
    /// All copies: the user has signed out.
    case session
    /// The copies as they were made: the identity provider has refused their tokens. A copy that was refreshed lives on.
    case tokens

    /// Returns the names of originals as a deletion is to understand them.
    fileprivate func originals(_ originals: [CopiedFrom]) -> [CopiedFrom] {
        switch self {
        // A session ends wherever it is, also where apps have returned to it.
        case .session: originals.map { $0.noted(asLeft: false) }
        case .tokens: originals.map(\.record)
        }
    }

    /// Returns whether a copy ends with an account that had this record as its place.
    fileprivate func ends(_ copy: Account, of account: Account, in original: CopiedFrom?) -> Bool {
        switch self {
        case .session:
            // A later sign-in of the user names the original, too.
            copy.tokens.isOfSession(account.tokens)
                || copy.remainingOriginals.contains { $0.record == original && $0.signIn == copy.tokens.signIn }
        case .tokens: copy.tokens == account.tokens
        }
    }
}

extension GroupChoice {
    /// Returns the slots to which an account was migrated from a slot, or is being migrated.
    fileprivate func targets(of id: AccountID, from used: SlotInUse, isJoining: Bool) -> Set<Slot> {
        var targets: Set<Slot> = []
        for case .migration(let noted, let source, let target, _) in steps
        where noted.mayMean(id) && (source ?? slot) == used.slot {
            targets.insert(target)
        }
        if !isJoining, let moved = destination(of: id, from: used) { targets.insert(moved.slot) }
        return targets.subtracting([used.slot])
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
        reaching reach: SignOutReach = .session,
        if condition: @escaping (Account, Slot) -> Bool = { _, _ in true }
    ) throws(AuthError) {
        let (changed, _) = try signOut(
            from: .account(id, lastSeenIn: slot),
            ifDamaged: .fail,
            reaching: reach,
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
                try operation.signOut(user.id, lastSeenIn: slot, reaching: .tokens) { [unsavedTokens] account, slot in
                    unsavedTokens.overlay(account, in: slot).tokens.isRest(of: tokens)
                }
            }
        }
    }
}
