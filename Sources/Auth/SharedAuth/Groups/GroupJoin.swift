extension Operation {
    /// Joins the access group that the options name: stores it as the choice, and treats the user in the app's own slot
    /// according to the policy.
    ///
    /// The group is the slot in use from the start. This call completes the switch once the group can be read; until
    /// then neither the stored choice nor the app's own slot changes. Does nothing if the app has joined.
    /// - Parameter contents: the contents of the group.
    /// - Returns: the contents of the group afterwards.
    /// - Throws: an error of the keyring or of the journal. The next read of the group tries again.
    func joinNamedGroup(holding contents: SlotContents) throws(AuthError) -> SlotContents {
        guard state.isJoining, let group = state.slot else { return contents }
        for _ in 1...Self.attempts {
            if let joined = try join(group, holding: contents) { return joined }
        }
        throw .choiceKeepsChanging
    }

    /// Joins the group before its contents are shown, if the policy brings a user there. With another policy, the group
    /// is shown first, since what follows may fail.
    func bringingOwnUser(into contents: SlotContents) throws(AuthError) -> SlotContents {
        engine.options.ownUserPolicy == .migrate ? try joinNamedGroup(holding: contents) : contents
    }

    /// - Returns: the contents of the group; nil if another process has changed the choice in the meantime.
    private func join(_ group: Slot, holding contents: SlotContents) throws(AuthError) -> SlotContents? {
        let before = try presentChoice()
        // A choice that cannot be read does not say that the app was in its own slot.
        let isLeavingOwn = !before.isDamaged && before.choice.slot == .own
        let policy = engine.options.ownUserPolicy
        if isLeavingOwn, policy == .migrate, let moved = try migrateOwnUser(to: group) { return moved }
        let own = isLeavingOwn && policy == .clear ? try ownContents() : SlotContents()
        let change = SwitchedChoice(target: group, leaving: SwitchedChoice.Left(own))
        if change.left != nil {
            guard try leaveOwnSlot(change, orGoBackTo: before.choice) != .overtaken else { return nil }
            engine.revokeInBackground([own.record.currentAccount].compactMap(\.self))
        } else {
            let isStored = try slots.inTurn(of: before.choice.slot, by: deadline, reading: {}) { () throws(AuthError) in
                try store(change, over: before.choice.slot)
            }
            guard isStored else { return nil }
        }
        apply(.joined(SlotInUse(group, lastMove: SlotInUse(before.choice).lastMove)))
        try? finishDeletions()
        return contents
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

    /// Moves the current user of the app's own slot to a group.
    ///
    /// - Returns: the contents of the group; nil if there is no such user, or another user is current in the group.
    private func migrateOwnUser(to group: Slot) throws(AuthError) -> SlotContents? {
        let own = try ownContents()
        guard let user = own.record.current else { return nil }
        do throws(AuthError) {
            let (copy, used) = try carryOut(from: .own, to: group, ifOccupied: .fail, moving: user, in: own)
            apply(.joined(used))
            journal.clearKeepers(of: .own, by: deadline)
            return copy
        } catch {
            guard error.code == .accessGroupOccupied else { throw error }
            return nil
        }
    }
}
