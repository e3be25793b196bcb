extension AuthEngine {
    /// The slot of the access group that the options name; nil if they name none.
    var namedSlot: Slot? { options.accessGroup.map(Slot.group) }
}

extension Operation {
    /// Joins the access group that the options name: stores it as the choice, and treats the user in the app's own slot
    /// according to the policy.
    ///
    /// The group is the slot in use from the start. This call completes the switch once the group was read. Does nothing
    /// if the app has joined.
    /// - Throws: an error of the keyring or of the journal. The next read of the group tries again.
    func joinNamedGroup() throws(AuthError) {
        guard state.isJoining, let group = engine.namedSlot else { return }
        for _ in 1...Self.attempts {
            if try join(group) { return }
        }
        throw .choiceKeepsChanging
    }

    /// - Returns: false if another process has changed the choice in the meantime.
    private func join(_ group: Slot) throws(AuthError) -> Bool {
        let before = try presentChoice()
        let policy = engine.options.ownUserPolicy
        let own = leavesOwnSlot(before) && policy == .clear ? try ownContents() : SlotContents()
        let change = ChoiceChange(switchingTo: group, leaving: ChoiceChange.Left(own))
        switch try choose(change, over: before) {
        case .overtaken: return false
        case .deleted: engine.revokeInBackground([own.record.currentAccount].compactMap(\.self))
        case .kept, .leftBehind: break
        }
        apply(.joined(SlotInUse(group, lastMove: SlotInUse(before.choice).lastMove)))
        finishDeletions()
        return true
    }

    /// Returns whether the app leaves its own slot by joining. A choice that cannot be read does not say that the app
    /// was there.
    private func leavesOwnSlot(_ before: PresentChoice) -> Bool {
        !before.isDamaged && before.choice.slot == .own
    }

    /// Returns the contents of the app's own slot; empty if its record cannot be read, which then stays in place.
    private func ownContents() throws(AuthError) -> SlotContents {
        try slots.forgetLocation(of: .own)
        do throws(AuthError) {
            return try read(.own)
        } catch {
            guard [.recordDamaged, .recordVersionUnsupported].contains(error.code) else { throw error }
            return SlotContents()
        }
    }

    /// Moves the current user of the app's own slot to the group that the options name, if the policy says so and the
    /// group has no current user. Called before the group is shown: it would otherwise look signed out.
    ///
    /// - Parameter contents: the contents of the group.
    /// - Returns: the contents of the group afterwards.
    /// - Throws: the error that keeps the user from moving.
    func migratingOwnUser(into contents: SlotContents) throws(AuthError) -> SlotContents {
        guard state.isJoining, let group = engine.namedSlot, engine.options.ownUserPolicy == .migrate,
            contents.record.current == nil, leavesOwnSlot(try presentChoice())
        else { return contents }
        let own = try ownContents()
        guard let user = own.record.current else { return contents }
        do throws(AuthError) {
            guard let (copy, used) = try carryOut(from: .own, to: group, ifOccupied: .fail, moving: user, in: own)
            else { return try read(group) }
            apply(.joined(used))
            journal.clearKeepers(of: .own, by: deadline)
            return copy
        } catch {
            guard error.code == .accessGroupOccupied else { throw error }
            return try read(group)
        }
    }
}
