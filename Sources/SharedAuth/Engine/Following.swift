extension Operation {
    /// Goes along where the app's choice has gone, if the slot in use turns out not to hold the current user any more, or has none.
    ///
    /// Another process of this app, or a tool, has migrated the user, or switched by hand, if it has stored the choice of another slot. A
    /// user who was migrated stays current, and listeners hear of new tokens alone. An app that does not declare the group may not use it,
    /// and gets that error in place of a sign-out.
    /// - Returns: whether the slot is no longer in use.
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
            // The slot that is in use now says when it can be read; one that is not declared is looked at again later.
            if error.code.forbidsGroup { engine.observer?.rereadLater() } else { engine.observer?.follow(target) }
        }
        return true
    }

    /// Goes along where the app's choice has gone, before the current user is acted on.
    func followChoice() throws(AuthError) {
        guard let slot = state.slot, let chosen = try? storedSlot(), chosen != slot else { return }
        _ = follow(from: slot, holding: try slots.read(slot, by: deadline).record)
    }
}

extension AuthErrorCode {
    /// Whether a stored choice may not be used, although it could be read.
    var forbidsGroup: Bool { [.accessGroupNotDeclared, .invalidAccessGroup].contains(self) }
}
