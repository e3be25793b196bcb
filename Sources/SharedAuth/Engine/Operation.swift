internal import Dispatch
internal import Synchronization

extension Operation {
    /// The slot in use. A choice that could not be read before is read again.
    ///
    /// - Throws: what keeps the choice from being read, or makes it invalid.
    func currentSlot() throws(AuthError) -> Slot {
        let state = state
        if let failure = state.failure, failure.code.forbidsGroup { throw failure }
        if let slot = state.slot { return slot }
        let choice = try journal.read()
        try engine.identity.checkStoredChoice(of: choice.slot, in: journal.path)
        apply(.readChoice(choice.slot))
        return choice.slot
    }

    /// Reads a slot; that it is empty is believed only of a keyring daemon that had its user, or if there was none.
    ///
    /// - Throws: `keyringChanged`, or an error of the keyring.
    func read(_ slot: Slot) throws(AuthError) -> SlotContents { try engine.reader.read(slot, by: deadline) }

    /// Whether these contents of the slot in use are those that the state goes by.
    func knows(_ contents: SlotContents, of slot: Slot) -> Bool {
        contents.revision != nil && state.slot == slot && state.revision == contents.revision
    }

    /// Takes over what a slot was found to hold. Tokens that could not be saved there before are saved now, if the slot still
    /// holds those that they replace. If the current user was migrated from there, this process goes along.
    @discardableResult
    func take(_ contents: SlotContents, in slot: Slot) -> SlotContents {
        if followUser(from: slot, holding: contents) { return contents }
        var contents = contents
        if let saved = try? engine.tokens.saveUnsaved(over: contents, in: slot, self) { contents = saved }
        contents = engine.tokens.unsaved.overlay(contents, in: slot)
        apply(.found(contents, in: slot))
        return contents
    }

    /// Changes what a slot holds of one account.
    ///
    /// - Returns: what the slot holds afterwards, which another process may have written.
    func revise(_ slot: Slot, _ uid: String, _ change: (inout Account) -> Bool) throws(AuthError) -> SlotContents {
        try slots.update(slot, by: deadline) { contents in
            guard var account = contents.record.account(uid), change(&account) else { return .keep }
            return .store(contents.record.replacing(account))
        }
    }

    /// Makes an account the current one of a slot, replacing what was there: an explicit act.
    ///
    /// - Parameter keepingNewerTokens: whether tokens stay that the slot has of the same account and that are newer.
    func signIn(
        _ account: Account,
        to slot: Slot,
        keepingNewerTokens: Bool = false
    ) throws(AuthError) -> SlotContents {
        let contents = try slots.update(
            slot,
            by: deadline,
            ifDamaged: .setAside,
            settledIf: { $0.record.currentAccount?.tokens == account.tokens }
        ) { contents in
            var account = account
            if keepingNewerTokens, let stored = contents.record.account(account.uid),
                stored.knownIssuer == account.knownIssuer, stored.tokens.isNewer(than: account.tokens)
            {
                account.tokens = stored.tokens
            }
            return .store(contents.record.signingIn(account, keepingOthers: engine.options.keepsOtherUsers))
        }
        engine.tokens.unsaved.drop(account.uid, in: slot)
        return contents
    }

    /// Signs users out of a slot: an explicit act, which sets a damaged record aside.
    ///
    /// Originals that a migration has left go first, so that no user is signed in from there; one that cannot be deleted is named
    /// by what stays of the record. So do those whose copy is not in the record any more.
    /// - Parameter uid: the only user who is meant; nil: all whom `isMeant` names, and those who are in no record any more.
    /// - Returns: what the slot holds afterwards, and the accounts whose sessions have ended there, with their newest tokens.
    func signOut(
        _ uid: String?,
        from slot: Slot,
        ifDamaged policy: DamagePolicy = .setAside,
        where isMeant: (Account, UserRecord) -> Bool
    ) throws(AuthError) -> (contents: SlotContents, ended: [Account]) {
        let choice = (try? journal.read()) ?? GroupChoice()
        let noted = choice.remainingOriginals
        try slots.forgetLocation(of: slot)
        var deletion = OriginalDeletion()
        while true {
            var found: [String: [CopiedFrom]] = [:]
            var removed: [Account] = []
            let contents = try slots.update(
                slot,
                by: deadline,
                ifDamaged: policy,
                settledIf: { contents in contents.record.accounts.allSatisfy { !isMeant($0, contents.record) } }
            ) { contents in
                let meant = contents.record.accounts.filter { isMeant($0, contents.record) }
                for account in meant where deletion.left[account.uid] == nil {
                    let originals = originals(of: account, noted: noted, besides: slot)
                    if !originals.isEmpty { found[account.uid] = originals }
                }
                removed = meant
                guard found.isEmpty, !meant.isEmpty else { return .keep }
                let rest = meant.reduce(contents.record) { $0.removing($1.uid, leaving: deletion.left[$1.uid] ?? []) }
                return .store(rest.following(deletion.later))
            }
            if found.isEmpty {
                let ended = removed.filter { deletion.left[$0.uid]?.isEmpty ?? true }
                    .map { engine.tokens.unsaved.overlay($0, in: slot) }
                for account in removed { engine.tokens.unsaved.drop(account.uid, in: slot) }
                let lost = noted.filter { original in
                    (original.target ?? choice.slot) == slot && original.slot != slot
                        && contents.record.account(original.uid) == nil && !removed.contains { $0.uid == original.uid }
                        && (uid == nil || uid == original.uid)
                }
                return (try signOutLost(lost, in: slot) ?? contents, ended)
            }
            deleteOriginals(found, &deletion)
        }
    }

    /// Deletes the originals of copies that are not in a slot any more, so that none is put back from there.
    private func signOutLost(_ originals: [GroupChoice.Original], in slot: Slot) throws(AuthError) -> SlotContents? {
        var copied: [String: [CopiedFrom]] = [:]
        for original in originals {
            copied[original.uid, default: []].append(try slots.copiedFrom(original.slot, at: original.revision))
        }
        var deletion = OriginalDeletion()
        deleteOriginals(copied, &deletion)
        let left = deletion.left.filter { !$0.value.isEmpty }
        if left.isEmpty { return nil }
        return try slots.update(slot, by: deadline) { found in
            .store(left.reduce(found.record) { $0.removing($1.key, leaving: $1.value) }.following(deletion.later))
        }
    }

    /// The records that an account was copied from, as it says itself or as the journal does.
    private func originals(of account: Account, noted: [GroupChoice.Original], besides slot: Slot) -> [CopiedFrom] {
        let journaled = noted.filter { $0.uid == account.uid && $0.slot != slot }
            .compactMap { try? slots.copiedFrom($0.slot, at: $0.revision) }
        return account.remainingOriginals + journaled.filter { !account.remainingOriginals.contains($0) }
    }

    /// What has become of the originals of users who sign out.
    private struct OriginalDeletion {
        /// Those that could not be deleted, by uid.
        var left: [String: [CopiedFrom]] = [:]
        /// What a record holds now for the others who were copied from it.
        var later: [CopiedFrom: CopiedFrom] = [:]
    }

    /// Deletes originals, those of one record together, as the first to go leaves another revision to the rest.
    private func deleteOriginals(_ originals: [String: [CopiedFrom]], _ deletion: inout OriginalDeletion) {
        var later: [CopiedFrom: CopiedFrom] = [:]
        for uid in originals.keys { deletion.left[uid] = [] }
        for original in Set(originals.values.joined()) {
            let uids = originals.keys.filter { originals[$0]?.contains(original) ?? false }
            do throws(AuthError) {
                later[original] = try slots.remove(uids, from: original, by: deadline)
            } catch {
                for uid in uids { deletion.left[uid]?.append(original) }
            }
        }
        deletion.later.merge(later) { _, new in new }
        let gone = originals.keys.filter { deletion.left[$0]?.isEmpty ?? true }
        if gone.isEmpty { return }
        _ = try? journal.change(by: deadline) { choice in
            choice.remainingOriginals.removeAll { gone.contains($0.uid) }
            for place in choice.remainingOriginals.indices {
                let noted = choice.remainingOriginals[place]
                guard let copied = try? slots.copiedFrom(noted.slot, at: noted.revision), let new = later[copied] else {
                    continue
                }
                choice.remainingOriginals[place].revision = new.revision
            }
        }
    }

    /// Deletes the originals of users who were signed out when that could not be done.
    func deleteSignedOut(in contents: SlotContents, of slot: Slot) -> SlotContents {
        var contents = contents
        for (original, users) in Dictionary(grouping: contents.record.signedOut, by: \.original) {
            do throws(AuthError) {
                let later = try slots.remove(users.map(\.uid), from: original, by: deadline)
                contents = try slots.update(slot, by: deadline) { found in
                    let rest = users.reduce(found.record) { $0.forgetting($1) }
                    return .store(rest.following(later.map { [original: $0] } ?? [:]))
                }
            } catch {
                continue
            }
        }
        return contents
    }
}

extension AuthErrorCode {
    /// Whether a stored choice may not be used, although it could be read.
    fileprivate var forbidsGroup: Bool { [.accessGroupNotDeclared, .invalidAccessGroup].contains(self) }
}
