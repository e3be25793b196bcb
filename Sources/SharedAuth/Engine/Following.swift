extension Operation {
    /// Goes where another process has migrated the current user, if a slot that was in use turns out not to hold the user any
    /// more: the user stays current, listeners hear nothing but other tokens, and the new slot is observed.
    ///
    /// Another process of this app, or a tool, has migrated the user if it has stored the choice of another slot, and that holds the
    /// user. An app that does not declare the group may not use it, and gets that error in place of a sign-out.
    /// - Returns: whether the slot is no longer in use.
    func followUser(from slot: Slot, holding contents: SlotContents) -> Bool {
        guard state.slot == slot, let user = state.user, contents.record.account(user.uid) == nil,
            let target = try? journal.read().slot, target != slot
        else { return false }
        do throws(AuthError) {
            var found = try slots.read(target, by: deadline)
            guard found.record.holds(user.snapshot) else { return false }
            try engine.identity.checkStoredChoice(of: target, in: journal.path)
            engine.tokens.unsaved.move(user.uid, from: slot, to: target)
            found = engine.tokens.unsaved.overlay(found, in: target)
            // Where a second account is what the user became there, somebody else is current.
            apply(found.record.current == user.uid ? .moved(user, to: target, found) : .switched(to: target, found))
            engine.observer?.follow(target)
        } catch {
            engine.tokens.unsaved.move(user.uid, from: slot, to: target)
            apply(.readChoice(target))
            apply(.failed(error))
            // The slot that is in use now says when it can be read; one that is not declared may not be used.
            if let slot = try? currentSlot() { engine.observer?.follow(slot) }
        }
        return true
    }

    /// The slot in use, after following the current user there if another process has migrated the user: for a sign-out, which
    /// is to reach the user wherever they are.
    func currentSlotOfUser() throws(AuthError) -> Slot {
        let slot = try currentSlot()
        guard state.user != nil, let choice = try? journal.read(), choice.slot != slot else { return slot }
        _ = followUser(from: slot, holding: try slots.read(slot, by: deadline))
        return try currentSlot()
    }

    /// Where a user is whom a slot turns out not to hold any more, and who was migrated by this process or another; tokens of theirs
    /// that are still to be saved go along. Nil if the user is nowhere else, or where this app may not go.
    func slotAfterMigration(of user: User, from slot: Slot, holding contents: SlotContents) -> Slot? {
        guard contents.record.account(user.uid) == nil,
            followUser(from: slot, holding: contents) || state.user === user,
            let target = try? currentSlot(), target != slot
        else { return nil }
        engine.tokens.unsaved.move(user.uid, from: slot, to: target)
        return target
    }

    /// Changes what a slot holds of a user, or the slot that the user was migrated to from there.
    ///
    /// - Returns: the slot in which the user is now, and what it holds afterwards.
    func revise(
        _ slot: Slot,
        following user: User,
        _ change: (inout Account) -> Bool
    ) throws(AuthError) -> (Slot, SlotContents) {
        let contents = try revise(slot, user.uid, change)
        guard let target = slotAfterMigration(of: user, from: slot, holding: contents) else { return (slot, contents) }
        return (target, try revise(target, user.uid, change))
    }
}
