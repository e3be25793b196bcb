extension Operation {
    /// Follows the app's stored choice to another slot, if the slot in use no longer holds the current user, or if
    /// there is no current user.
    ///
    /// The choice names another slot if another process of this app, or a tool, migrated the user or switched by hand.
    /// A migrated user stays current, and listeners are notified of new tokens only. An app that does not declare the
    /// group may not use it, and gets that error instead of a sign-out.
    /// - Returns: true if the slot is no longer in use.
    func follow(from slot: Slot, holding record: UserRecord) -> Bool {
        guard state.slot == slot, state.user.map({ record.account($0.id) == nil }) ?? true,
            let target = try? storedSlot(), target != slot
        else { return false }
        engine.unsavedTokens.moveMissing(from: slot, holding: record, to: target)
        do throws(AuthError) {
            try engine.identity.checkStoredChoice(of: target, in: journal.path)
            let found = try engine.reader.read(target, by: deadline)
            apply(.followed(to: target, engine.unsavedTokens.overlay(found, in: target)))
            engine.observer?.follow(target)
        } catch {
            apply(.readChoice(target))
            apply(.failed(error))
            // The observer reports when the new slot can be read. A group that is not declared is checked again later.
            if error.code.forbidsGroup { engine.observer?.rereadLater() } else { engine.observer?.follow(target) }
        }
        return true
    }

    /// Follows the app's stored choice, before an operation on the current user.
    ///
    /// - Throws: an error of the keyring, if the choice names another slot and the slot in use cannot be read.
    func followChoice() throws(AuthError) {
        guard let slot = state.slot, let chosen = try? storedSlot(), chosen != slot else { return }
        _ = follow(from: slot, holding: try slots.read(slot, by: deadline).record)
    }
}

extension AuthErrorCode {
    /// Indicates whether the app may not use the group of a choice that could be read.
    var forbidsGroup: Bool { [.accessGroupNotDeclared, .invalidAccessGroup].contains(self) }
}
