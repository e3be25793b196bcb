extension Operation {
    /// Follows the users of the slot in use to the slot to which another process, or a tool, has migrated them.
    ///
    /// A process follows the migration of its current user and, if it shows no user, each migration from its slot. It
    /// never follows a switch by hand. A migrated user stays current, and listeners are notified of new tokens only. An
    /// app that does not declare the group may not use it, and gets that error instead of a sign-out.
    /// - Returns: true if the slot is no longer in use.
    func follow(from slot: Slot, holding record: UserRecord) -> Bool {
        guard let used = state.used, used.slot == slot,
            state.user.map({ record.account($0.id) == nil }) ?? true,
            let target = nextSlot(of: state.user?.id, from: used) ?? unexplainedDestination(from: used)
        else { return false }
        engine.unsavedTokens.moveMissing(from: slot, holding: record, to: target.slot)
        do throws(AuthError) {
            try checkMayUse(target)
        } catch {
            return true
        }
        do throws(AuthError) {
            let found = try engine.reader.read(target.slot, by: deadline)
            apply(.followed(to: target, engine.unsavedTokens.overlay(found, in: target.slot)))
        } catch {
            apply(.failed(error, in: target))
        }
        return true
    }

    /// Returns the slot of a choice that an earlier version has stored, if it holds the current user.
    private func unexplainedDestination(from used: SlotInUse) -> SlotInUse? {
        guard !state.isJoining, let user = state.user?.id,
            let target = (try? journal.read(by: deadline))?.unexplained(in: used),
            (try? slots.read(target.slot, by: deadline))?.record.account(user) != nil
        else { return nil }
        return target
    }

    /// Returns the slot to which a user who is no longer in a slot has moved: by a migration that the choice notes, or with
    /// another app.
    func nextSlot(of user: AccountID?, from used: SlotInUse) -> SlotInUse? {
        destination(of: user, from: used) ?? followPeers(of: user, from: used)
    }

    /// Chooses the slot to which another app has moved a user who is no longer in a slot: it has finished what a tool had
    /// begun for both.
    ///
    /// - Returns: that slot; nil if no app has.
    private func followPeers(of user: AccountID?, from used: SlotInUse) -> SlotInUse? {
        guard !state.isJoining, let user, let choice = try? journal.read(by: deadline),
            let migration = choice.unfinished(of: user, from: used.slot),
            let record = (try? slots.read(migration.target, by: deadline))?.record,
            let arrived = try? migration.follow(in: journal, to: record, of: slots, by: deadline), !arrived.isEmpty
        else { return nil }
        return destination(of: user, from: used)
    }

    /// Indicates whether the users of a slot were migrated, or may be by an app that finishes what a tool has begun.
    private func mayHaveMoved(from used: SlotInUse) -> Bool {
        if destination(of: state.user?.id, from: used) != nil { return true }
        guard let user = state.user?.id, let choice = try? journal.read(by: deadline) else { return false }
        return choice.unfinished(of: user, from: used.slot) != nil
    }

    /// Follows migrated users before an operation on the current user.
    ///
    /// - Throws: an error of the keyring, if users were migrated and the slot in use cannot be read.
    func followMoves() throws(AuthError) {
        guard let used = state.used, mayHaveMoved(from: used) else { return }
        _ = follow(from: used.slot, holding: try slots.read(used.slot, by: deadline).record)
    }
}

extension AuthErrorCode {
    /// Indicates whether the app may not use the group of a choice that could be read.
    var forbidsGroup: Bool { [.accessGroupNotDeclared, .invalidAccessGroup].contains(self) }
}
