/// The place in which a change is made.
enum ChangePlace {
    /// The slot that this process uses, or the one to which another process has migrated its users.
    case slotInUse
    /// The slot that holds the accounts concerned: the one in which they were last seen; or, if that no longer has any
    /// of them, the one to which they were migrated, or else the slot that this process uses.
    ///
    /// - `id`: the account, if it is a single one; else nil.
    case accounts(AccountID?, lastSeenIn: Slot, isThere: (UserRecord) -> Bool)
    /// The slot that the caller has named.
    case named(Slot)

    /// The place of one account.
    static func account(_ id: AccountID, lastSeenIn slot: Slot) -> ChangePlace {
        .accounts(id, lastSeenIn: slot) { $0.account(id) != nil }
    }
}

/// A slot and its contents.
struct ChangedSlot {
    /// The slot in which a change was made, as this process may use it from now on.
    let used: SlotInUse
    /// The contents afterwards, which another process may have written.
    let contents: SlotContents

    var slot: Slot { used.slot }
}

extension Operation {
    /// The maximum number of attempts at a change, a switch or a load while another process changes the group choice.
    static let attempts = 4

    /// Changes a record as one transaction: under the slot's lock it reads the record and the journal, and calls
    /// `decide` for the new record. If the change belongs to another slot by then, it begins again there.
    ///
    /// Users are migrated only under the lock of the slot that they leave, so they stay until the change is written.
    /// - Parameters:
    ///   - searching: whether to search for the slot's items even if their location is known.
    ///   - isDone: returns whether the slot shows that the change was made. With it, an unknown outcome is settled by
    ///     another read.
    ///   - decide: decides by the record alone, and may be called more than once.
    /// - Throws: `conflict` if other processes keep migrating the users; `accessGroupNotDeclared` if this app may not
    ///   use the slot to which they moved; an error of `decide` or of the keyring.
    func change(
        _ place: ChangePlace,
        searching: Bool = false,
        ifDamaged policy: DamagePolicy = .fail,
        settledIf isDone: ((ChangedSlot) -> Bool)? = nil,
        _ decide: (SlotContents, Slot) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> ChangedSlot {
        var used: SlotInUse
        switch place {
        case .slotInUse: used = try slotInUse()
        case .accounts(_, let slot, _), .named(let slot): used = SlotInUse(slot, lastMove: state.used?.lastMove)
        }
        var visited: Set<Slot> = []
        for _ in 1...Self.attempts {
            visited.insert(used.slot)
            var next: SlotInUse?
            var isRead = false
            let contents: SlotContents
            if searching { try slots.forgetLocation(of: used.slot) }
            do throws(AuthError) {
                contents = try slots.update(
                    used.slot,
                    by: deadline,
                    ifDamaged: policy,
                    settledIf: isDone.map { isDone in { isDone(ChangedSlot(used: used, contents: $0)) } }
                ) { contents throws(AuthError) in
                    isRead = true
                    next = successor(of: used, holding: contents.record, for: place, after: visited)
                    return next == nil ? try decide(contents, used.slot) : .leave
                }
            } catch {
                // A record that cannot be read matters only in the right slot.
                guard !isRead, case .slotInUse = place, let moved = destination(of: state.user?.id, from: used) else {
                    noteSaveFailure(error, in: used.slot)
                    throw error
                }
                try engine.identity.checkStoredChoice(of: moved.slot, in: journal.path)
                used = moved
                continue
            }
            guard let next else { return ChangedSlot(used: used, contents: contents) }
            try engine.identity.checkStoredChoice(of: next.slot, in: journal.path)
            engine.unsavedTokens.moveMissing(from: used.slot, holding: contents.record, to: next.slot)
            used = next
        }
        throw .usersKeepMoving
    }

    /// Returns the slot to change instead of one that holds this record; nil if that one is right.
    private func successor(
        of used: SlotInUse,
        holding record: UserRecord,
        for place: ChangePlace,
        after visited: Set<Slot>
    ) -> SlotInUse? {
        switch place {
        case .named: return nil
        case .slotInUse:
            let user = state.user?.id
            if let user, record.account(user) != nil { return nil }
            return nextSlot(of: user, from: used)
        case .accounts(let id, _, let isThere):
            if isThere(record) { return nil }
            // Accounts that were migrated and have signed out are nowhere.
            return nextSlot(of: id, from: used) ?? state.used.flatMap { visited.contains($0.slot) ? nil : $0 }
        }
    }

    /// Returns the slot to which other processes of this app have migrated a user, or the users of a process that shows
    /// none, from a slot.
    ///
    /// - Returns: nil if they have not, or if the journal cannot be read; nil, too, until the options' group is joined,
    ///   because it is not known until then which moves are later ones.
    func destination(of user: AccountID?, from used: SlotInUse) -> SlotInUse? {
        state.isJoining ? nil : (try? journal.read(by: deadline))?.destination(of: user, from: used)
    }

    /// Adopts the result of a change.
    @discardableResult
    func take(_ changed: ChangedSlot) -> SlotContents { take(changed.contents, in: changed.slot) }

    /// Adopts the contents of a slot. If another process has migrated this process's users, to this slot or from it,
    /// this process follows them.
    ///
    /// - Returns: the contents as this process sees them.
    @discardableResult
    func take(_ contents: SlotContents, in slot: Slot) -> SlotContents {
        if follow(from: slot, holding: contents.record) { return contents }
        let hadUser = state.user != nil
        let contents = withUnsaved(contents, in: slot)
        if let present = state.used, slot != present.slot,
            let target = destination(of: state.user?.id, from: present), target.slot == slot
        {
            apply(.followed(to: target, contents))
            return contents
        }
        apply(.found(contents, in: slot))
        // The user has signed out, and others were migrated afterwards.
        if hadUser, state.user == nil { _ = follow(from: slot, holding: contents.record) }
        return contents
    }

    /// Returns contents as this process sees them. Tokens that could not be saved there before are saved now, if the
    /// slot still has those that they replace.
    private func withUnsaved(_ contents: SlotContents, in slot: Slot) -> SlotContents {
        engine.unsavedTokens.overlay((try? saveUnsaved(over: contents, in: slot)) ?? contents, in: slot)
    }

    /// Adopts the contents of a slot for one user. If the slot is in use, listeners are notified.
    ///
    /// - Returns: the account; nil if the slot does not have it.
    @discardableResult
    func take(_ contents: SlotContents, in slot: Slot, for user: User) -> Account? {
        let contents = isInUse(slot) ? take(contents, in: slot) : engine.unsavedTokens.overlay(contents, in: slot)
        let account = contents.record.account(user.id)
        if let account { user.replace(with: account) }
        return account
    }
}

extension Operation {
    /// Returns the slot that this process uses: the one that the options name, that was the stored choice at its start,
    /// or to which it has switched or followed its users since.
    ///
    /// - Throws: the error that keeps the choice from being read, or that forbids the group. Then the next call looks
    ///   again.
    func slotInUse() throws(AuthError) -> SlotInUse {
        if let used = state.used, state.watched != nil { return used }
        let used: SlotInUse
        if engine.namedSlot != nil, let present = state.used {
            // The users may have left the group that the app may not use.
            used = destination(of: nil, from: present) ?? present
        } else {
            used = SlotInUse(try journal.read(by: deadline))
        }
        try use(used)
        return used
    }

    /// Uses the slot of a stored choice from now on.
    ///
    /// - Throws: the error that forbids the group. It is the state then.
    func use(_ used: SlotInUse) throws(AuthError) {
        try checkMayUse(used)
        apply(.readChoice(used))
    }

    /// Checks that this app may use the slot of a stored choice.
    ///
    /// - Throws: the error that forbids the group. It is the state then.
    func checkMayUse(_ used: SlotInUse) throws(AuthError) {
        do throws(AuthError) {
            try engine.identity.checkStoredChoice(of: used.slot, in: journal.path)
        } catch {
            apply(.failed(error, in: used))
            throw error
        }
    }

    /// Reads a slot. Trusts an empty result only from the daemon that last held the slot's user, or if no user was
    /// stored.
    ///
    /// - Throws: `keyringChanged`, or an error of the keyring.
    func read(_ slot: Slot) throws(AuthError) -> SlotContents {
        do throws(AuthError) {
            return try engine.reader.read(slot, by: deadline)
        } catch {
            noteSaveFailure(error, in: slot)
            throw error
        }
    }

    /// Returns whether this process uses a slot, or will use it because its users were migrated to it.
    func isInUse(_ slot: Slot) -> Bool {
        guard let used = state.used else { return false }
        return used.slot == slot || destination(of: state.user?.id, from: used)?.slot == slot
    }

    /// Returns whether the state is based on these contents of the slot in use.
    func knows(_ contents: SlotContents, of slot: Slot) -> Bool {
        contents.revision != nil && state.slot == slot && state.revision == contents.revision
    }

    /// Changes an account in the slot of a place, if the slot has it.
    ///
    /// - Parameter change: changes the account, and returns the room that the write may take; nil to change nothing.
    /// - Returns: that slot, and its contents afterwards, which another process may have written.
    func revise(
        _ id: AccountID,
        in place: ChangePlace,
        _ change: (inout Account) -> RecordRoom?
    ) throws(AuthError) -> ChangedSlot {
        try self.change(place) { contents, _ in
            guard var account = contents.record.account(id), let room = change(&account) else { return .keep }
            return .store(contents.record.replacing(account), in: room)
        }
    }

    /// Makes one of the accounts in the slot in use current.
    ///
    /// - Throws: `userNotFound` if `choose` returns nil; an error of `choose`; `tenantIDMismatch`, or an error of the
    ///   keyring.
    func select(
        _ choose: (UserRecord, Slot) throws(AuthError) -> Account?
    ) throws(AuthError) {
        let state = state
        let slot = try slotInUse().slot
        let place = ChangePlace.accounts(state.user?.id, lastSeenIn: slot) { record in
            // The group's accounts are moved together.
            state.user.map { record.account($0.id) != nil } ?? !record.accounts.isEmpty
        }
        let changed = try change(place) { contents, slot throws(AuthError) in
            guard let account = try choose(contents.record, slot) else {
                throw AuthError(.userNotFound, "No user of this uid is stored in \(slot.description). Sign in instead.")
            }
            if state.tenant.isChosen { try state.checkTenant(of: account) }
            if contents.record.current == account.id { return .keep }
            return .store(contents.record.selecting(account.id), in: .full)
        }
        // The account may have been current there, and not shown because of its tenant.
        apply(.selected(take(changed), in: changed.slot))
    }
}

extension AuthError {
    static var choiceKeepsChanging: AuthError {
        AuthError(.conflict, "Another process keeps changing the access-group choice.", remedy: "Try again.")
    }

    fileprivate static var usersKeepMoving: AuthError {
        AuthError(.conflict, "Other processes keep migrating the users of this app.", remedy: "Try again.")
    }
}
