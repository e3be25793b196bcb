/// The checks before an identity provider is contacted: can the result be kept?
extension Operation {
    /// Checks that the slot in use can store the user of a sign-in now. Reads the slot, and changes nothing.
    ///
    /// - Throws: `keptOnFleet` if the slot shows a view of a fleet's record; `recordVersionUnsupported`; `storeFull`,
    ///   also if the slot keeps its other users and has no room for another one; an error of the keyring. A damaged
    ///   record is no error: the sign-in sets it aside.
    func checkCanSignIn() throws(AuthError) {
        let slot = try slotInUse().slot
        let size = try checkWritable(slot)
        guard engine.options.keepsOtherUsers, size > RecordRoom.limited.limit - UserSlots.leastUser else { return }
        throw AuthError(
            .storeFull,
            "\(slot.description.capitalizedFirst) has no room for another user: its record takes \(size) of "
                + "\(RecordRoom.limited.limit) bytes.",
            remedy: "Sign users out, or have smaller tokens issued."
        )
    }

    /// Checks that the tokens of a stored user can be replaced in a slot now.
    ///
    /// - Throws: the errors of `checkCanSignIn()`, except those of the record's size.
    func checkCanSave(in slot: Slot) throws(AuthError) { _ = try checkWritable(slot) }

    /// Returns the size of the record in bytes.
    private func checkWritable(_ slot: Slot) throws(AuthError) -> Int {
        let size: Int
        do throws(AuthError) {
            size = try slots.checkWritable(slot, by: deadline)
        } catch {
            noteSaveFailure(error, in: slot)
            throw error
        }
        if slot == state.slot, state.saveFailure != nil { apply(.notedSaveFailure(nil)) }
        return size
    }
}

extension Auth {
    /// Checks that the user of a sign-in could be stored, for a program that asks the identity provider for something
    /// beforehand. A sign-in checks this itself.
    ///
    /// - Throws: The error that a sign-in would throw.
    package func checkCanSignIn() async throws(AuthError) { _ = try await engine.checkCanSignIn() }
}

extension AuthEngine {
    /// Checks that the result of a sign-in can be kept.
    ///
    /// - Returns: the tenant to sign in to.
    /// - Throws: the errors of `Operation.checkCanSignIn()`.
    func checkCanSignIn() async throws(AuthError) -> String? {
        try await waitForFirstLoad()
        return try await onQueue { [self] () throws(AuthError) in
            try withOperation { operation throws(AuthError) in
                try operation.checkCanSignIn()
                return operation.state.tenant.id
            }
        }
    }

    /// Checks that new tokens of a user can be kept. A user in no slot needs nothing but memory.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not manage accounts; the errors of
    ///   `Operation.checkCanSave(in:)`.
    func checkCanRenew(_ user: User) async throws(AuthError) {
        _ = try identityProvider.accounts(for: user.snapshot)
        guard let slot = user.slot else { return }
        try await onQueue { [self] () throws(AuthError) in
            try withOperation { operation throws(AuthError) in try operation.checkCanSave(in: slot) }
        }
    }
}
