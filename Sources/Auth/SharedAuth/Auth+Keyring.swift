internal import Dispatch
internal import SecretService

extension Auth {
    /// Returns the status of the store, such as the keyring daemon's name and whether the keyring is locked.
    ///
    /// The call blocks until the store responds. It does not wait for the first load, and changes nothing.
    ///
    /// - Throws: `keyringUnavailable`, `timedOut` or `accessDenied` if no keyring daemon responds.
    public func storeStatus() throws(AuthError) -> RecordStoreStatus {
        let deadline = engine.callDeadline
        if let misconfiguration = engine.misconfiguration { throw misconfiguration }
        var status: RecordStoreStatus
        do throws(RecordStoreError) {
            status = try engine.slots.store.status(by: deadline)
        } catch {
            throw AuthError(error, in: .own)
        }
        let present = status.daemon.map(KeyringDaemon.Kind.init(program:))
        status.formerDaemons = engine.journal.formerKeepers(
            of: engine.state.slot,
            besides: present,
            by: deadline
        ).compactMap(\.program)
        status.isObserving = engine.observer?.isObserving ?? false
        return status
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code.
    ///
    /// - Throws: The errors of the synchronous form.
    public func storeStatus() async throws(AuthError) -> RecordStoreStatus {
        try await engine.offload { [self] () throws(AuthError) in try storeStatus() }
    }

    /// Prompts the user to unlock the keyring, then reads the slot in use.
    ///
    /// Other calls continue while the prompt is shown. If the task is cancelled or `timeout` passes, the prompt is
    /// closed if the keyring daemon is known to survive that; otherwise it stays on the screen, and a later response
    /// takes effect.
    ///
    /// - Parameter timeout: The time limit for the user's response, from the moment the prompt is shown. The keyring
    ///   has `Options.timeout` to show it.
    /// - Throws: `promptDismissed` if the user dismisses the prompt, no prompt can be shown, or the task is cancelled;
    ///   `timedOut` if the user, the keyring or the message bus does not respond in time; a keyring error.
    public func unlock(timeout: Duration = .seconds(120)) async throws(AuthError) {
        // The first load determines the slot in use.
        try await engine.waitForFirstLoad()
        let store = engine.slots.store
        try await ask(for: timeout, about: engine.state.slot ?? .own) { deadline throws(RecordStoreError) in
            try store.unlock(by: deadline)
        }
        try await engine.onQueue { [engine] () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in try operation.rereadSlot() }
        }
    }

    /// Creates the keyring collection that `Options.store` names for a slot, if it does not exist yet. The keyring
    /// prompts the user for a password.
    ///
    /// Until the collection exists, no user can sign in to the slot, unless the slot's record exists elsewhere. Other
    /// calls continue while the prompt is shown. If the task is cancelled or `timeout` passes, the prompt is closed if
    /// the keyring daemon is known to survive that.
    ///
    /// - Parameters:
    ///   - accessGroup: The access group whose collection is created; nil for the app's own slot.
    ///   - timeout: The time limit for the user's response, from the moment the prompt is shown.
    /// - Throws: `promptDismissed` if the user dismisses the prompt, no prompt can be shown, or the task is cancelled;
    ///   `timedOut` if the user, the keyring or the message bus does not respond in time; `invalidAccessGroup` or
    ///   `accessGroupNotDeclared` if the app may not use the group; a keyring error.
    public func createCollection(
        forAccessGroup accessGroup: String? = nil,
        timeout: Duration = .seconds(120)
    ) async throws(AuthError) {
        let slot = try slot(named: accessGroup)
        let (store, key) = (engine.slots.store, try engine.slots.key(slot))
        try await ask(for: timeout, about: slot) { deadline throws(RecordStoreError) in
            try store.createCollection(for: key, by: deadline)
        }
    }
}

extension Auth {
    /// Runs work that waits for the user on a separate thread, until it is done, `timeout` passes, or the task is
    /// cancelled.
    private func ask(
        for timeout: Duration,
        about slot: Slot,
        _ work: @escaping @Sendable (Deadline) throws(RecordStoreError) -> Void
    ) async throws(AuthError) {
        if let misconfiguration = engine.misconfiguration { throw misconfiguration }
        let cancellation = Cancellation()
        let deadline = Deadline.after(timeout, cancelledBy: cancellation)
        let outcome = await withTaskCancellationHandler {
            // On a shared queue, other work of the app would wait for the user, too.
            await DispatchQueue(label: "SharedAuth.prompt").perform {
                Result { () throws(RecordStoreError) in try work(deadline) }
            }
        } onCancel: {
            cancellation.cancel()
        }
        guard case .failure(let error) = outcome else { return }
        if cancellation.isCancelled {
            throw AuthError(
                .promptDismissed,
                "\(slot.description.capitalizedFirst): the call was cancelled before the prompt was answered.",
                underlying: error
            )
        }
        guard error.code == .timedOut else { throw AuthError(error, in: slot) }
        guard error.isOfPerson else {
            // Prompting again is harmless, so this is `timedOut` even if the keyring may have received the request.
            throw AuthError(
                RecordStoreError(.timedOut, error.message, remedy: error.remedy, underlying: error.underlying),
                in: slot
            )
        }
        // The prompt was closed or is still shown: nothing has changed.
        throw AuthError(
            .timedOut,
            "\(slot.description.capitalizedFirst): the prompt was not answered in time.",
            remedy: "Try again with a longer timeout.",
            underlying: error
        )
    }
}

extension RecordStoreError {
    /// Indicates whether the user did not respond in time. For an app's own store, which does not report the reason,
    /// this is assumed.
    fileprivate var isOfPerson: Bool {
        guard let error = underlying as? SecretServiceError else { return lockWait == nil }
        return error.circumstance == .unansweredPrompt
    }
}
