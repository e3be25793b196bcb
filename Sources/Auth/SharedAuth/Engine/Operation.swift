/// The place in which a change is made.
enum ChangePlace {
    /// The slot that the app has chosen, according to the stored choice at the time of the change.
    case chosenSlot
    /// The slot that holds the accounts concerned: the one in which they were last seen or, if that no longer has any
    /// of them, the slot that the app has chosen.
    case accounts(lastSeenIn: Slot, isThere: (UserRecord) -> Bool)
    /// The slot that the caller has named.
    case named(Slot)

    /// The place of one account.
    static func account(_ id: AccountID, lastSeenIn slot: Slot) -> ChangePlace {
        .accounts(lastSeenIn: slot) { $0.account(id) != nil }
    }

    /// Returns the slot to change instead of `slot`, which holds this record; nil if `slot` is the right one.
    ///
    /// - Parameter chosen: returns the slot of the stored choice; called only where it decides.
    func successor(
        of slot: Slot,
        holding record: UserRecord,
        chosen: () throws(AuthError) -> Slot
    ) throws(AuthError) -> Slot? {
        switch self {
        case .accounts(_, let isThere) where isThere(record): return nil
        case .named: return nil
        case .chosenSlot, .accounts: break
        }
        let chosen = try chosen()
        return chosen == slot ? nil : chosen
    }
}

/// A slot and its contents.
struct ChangedSlot {
    /// The slot in which a change was made.
    let slot: Slot
    /// The contents afterwards, which another process may have written.
    let contents: SlotContents
}

extension Operation {
    /// The maximum number of attempts at a change, a switch or a load while another process changes the group choice.
    static let attempts = 4

    /// Changes a record as one transaction: under the slot's lock it reads the record, reads the stored choice again,
    /// and calls `decide` for the new record. If the change belongs to another slot by then, it begins again there.
    ///
    /// The choice changes only under the lock of the slot that is left, so it stays the same until the change is
    /// written.
    /// - Parameters:
    ///   - searching: whether to search for the slot's items even if their location is known.
    ///   - isDone: returns whether the slot shows that the change was made. With it, an unknown outcome is settled by
    ///     another read.
    ///   - decide: decides by the record alone, and may be called more than once.
    /// - Throws: `conflict` if another process keeps changing the choice; `accessGroupNotDeclared` if this app may not
    ///   use the chosen group; an error of `decide` or of the keyring.
    func change(
        _ place: ChangePlace,
        searching: Bool = false,
        ifDamaged policy: DamagePolicy = .fail,
        settledIf isDone: ((ChangedSlot) -> Bool)? = nil,
        _ decide: (SlotContents, Slot) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> ChangedSlot {
        var slot: Slot
        switch place {
        case .chosenSlot: slot = try chosenSlot()
        case .accounts(let lastSeen, _): slot = lastSeen
        case .named(let named): slot = named
        }
        for _ in 1...Self.attempts {
            var next: Slot?
            var isRead = false
            let contents: SlotContents
            if searching { try slots.forgetLocation(of: slot) }
            do throws(AuthError) {
                contents = try slots.update(
                    slot,
                    by: deadline,
                    ifDamaged: policy,
                    settledIf: isDone.map { isDone in { isDone(ChangedSlot(slot: slot, contents: $0)) } }
                ) { contents throws(AuthError) in
                    isRead = true
                    next = try place.successor(of: slot, holding: contents.record, chosen: storedSlot)
                    return next == nil ? try decide(contents, slot) : .leave
                }
            } catch {
                // A record that cannot be read matters only in the right slot.
                guard !isRead, case .chosenSlot = place, let chosen = try? storedSlot(), chosen != slot else {
                    throw error
                }
                try engine.identity.checkStoredChoice(of: chosen, in: journal.path)
                slot = chosen
                continue
            }
            guard let next else { return ChangedSlot(slot: slot, contents: contents) }
            try engine.identity.checkStoredChoice(of: next, in: journal.path)
            engine.unsavedTokens.moveMissing(from: slot, holding: contents.record, to: next)
            slot = next
        }
        throw .choiceKeepsChanging
    }

    /// Adopts the result of a change.
    @discardableResult
    func take(_ changed: ChangedSlot) -> SlotContents { take(changed.contents, in: changed.slot) }

    /// Adopts the contents of a slot. Tokens that could not be saved there before are saved now, if the slot still has
    /// those that they replace. If the app has another slot by now, this process follows it there.
    ///
    /// - Returns: the contents as this process sees them.
    @discardableResult
    func take(_ contents: SlotContents, in slot: Slot) -> SlotContents {
        if follow(from: slot, holding: contents.record) { return contents }
        var contents = contents
        if let saved = try? saveUnsaved(over: contents, in: slot) { contents = saved }
        contents = engine.unsavedTokens.overlay(contents, in: slot)
        if slot != state.slot, slot == (try? storedSlot()) {
            apply(.followed(to: slot, contents))
            engine.observer?.follow(slot)
        } else {
            apply(.found(contents, in: slot))
        }
        return contents
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
    /// Returns the slot that the app has chosen, according to the stored choice.
    ///
    /// - Throws: the error that keeps the choice from being read, or makes it invalid.
    func chosenSlot() throws(AuthError) -> Slot {
        let slot = try storedSlot()
        try engine.identity.checkStoredChoice(of: slot, in: journal.path)
        if state.slot == nil { apply(.readChoice(slot)) }
        return slot
    }

    /// Returns the slot of the stored choice. A running app stays in its slot while the choice cannot be read.
    func storedSlot() throws(AuthError) -> Slot {
        do throws(AuthError) {
            return try journal.read(by: deadline).slot
        } catch {
            guard let known = state.slot else { throw error }
            return known
        }
    }

    /// Returns the slot in use: the one that holds the current user, else the chosen one.
    ///
    /// - Throws: as `chosenSlot()`.
    func currentSlot() throws(AuthError) -> Slot {
        let state = state
        if state.user != nil, let slot = state.slot { return slot }
        return try chosenSlot()
    }

    /// Reads a slot. Trusts an empty result only from the daemon that last held the slot's user, or if no user was
    /// stored.
    ///
    /// - Throws: `keyringChanged`, or an error of the keyring.
    func read(_ slot: Slot) throws(AuthError) -> SlotContents { try engine.reader.read(slot, by: deadline) }

    /// Returns whether the app uses a slot, according to the state or the stored choice.
    func isInUse(_ slot: Slot) -> Bool { state.slot == slot || (try? storedSlot()) == slot }

    /// Returns whether the state is based on these contents of the slot in use.
    func knows(_ contents: SlotContents, of slot: Slot) -> Bool {
        contents.revision != nil && state.slot == slot && state.revision == contents.revision
    }

    /// Changes an account in the slot of a place, if the slot has it.
    ///
    /// - Returns: that slot, and its contents afterwards, which another process may have written.
    func revise(
        _ id: AccountID,
        in place: ChangePlace,
        _ change: (inout Account) -> Bool
    ) throws(AuthError) -> ChangedSlot {
        try self.change(place) { contents, _ in
            guard var account = contents.record.account(id), change(&account) else { return .keep }
            return .store(contents.record.replacing(account))
        }
    }

    /// Makes an account current in the chosen slot and replaces the former user. This is an explicit act, so it sets a
    /// damaged record aside.
    ///
    /// - Parameters:
    ///   - keepingNewerTokens: whether to keep the slot's tokens of the same account if they are newer.
    ///   - isRefused: returns whether to leave the record unchanged.
    func signIn(
        _ account: Account,
        keepingNewerTokens: Bool = false,
        unless isRefused: (UserRecord) -> Bool = { _ in false }
    ) throws(AuthError) -> ChangedSlot {
        let changed = try change(
            .chosenSlot,
            ifDamaged: .setAside,
            settledIf: { $0.contents.record.currentAccount?.tokens == account.tokens }
        ) { contents, _ in
            if isRefused(contents.record) { return .keep }
            var account = account
            if keepingNewerTokens, let stored = contents.record.account(account.id),
                stored.tokens.isNewer(than: account.tokens)
            {
                account.tokens = stored.tokens
            }
            return .store(contents.record.signingIn(account, keepingOthers: engine.options.keepsOtherUsers))
        }
        engine.unsavedTokens.drop(account.id, in: changed.slot)
        return changed
    }

    /// Makes one of the accounts in the slot in use current.
    ///
    /// - Throws: `userNotFound` if `choose` returns nil; an error of `choose`; `tenantIDMismatch`, or an error of the
    ///   keyring.
    func select(
        _ choose: (UserRecord, Slot) throws(AuthError) -> Account?
    ) throws(AuthError) {
        let state = state
        let slot = try currentSlot()
        let place = ChangePlace.accounts(lastSeenIn: slot) { record in
            // The group's accounts are moved together.
            state.user.map { record.account($0.id) != nil } ?? !record.accounts.isEmpty
        }
        let changed = try change(place) { contents, slot throws(AuthError) in
            guard let account = try choose(contents.record, slot) else {
                throw AuthError(.userNotFound, "No user of this uid is stored in \(slot.description). Sign in instead.")
            }
            if state.tenant.isChosen { try state.checkTenant(of: account) }
            return contents.record.current == account.id ? .keep : .store(contents.record.selecting(account.id))
        }
        take(changed)
    }

    /// Notes that a user became current in a slot. Without contents, saving failed.
    func signedIn(_ user: User, in slot: Slot, _ contents: SlotContents?) {
        let isOther = state.slot != slot
        apply(.signedIn(user, in: slot, contents))
        if isOther { engine.observer?.follow(slot) }
    }

    /// Notes that the current user was signed out of a slot.
    func signedOut(_ changed: ChangedSlot) {
        let isOther = state.slot != changed.slot
        apply(.signedOut(of: changed.slot, changed.contents))
        if isOther { engine.observer?.follow(changed.slot) }
    }
}

extension AuthError {
    static var choiceKeepsChanging: AuthError {
        AuthError(.conflict, "Another process keeps changing the access-group choice.", remedy: "Try again.")
    }
}
