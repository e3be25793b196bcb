internal import Dispatch
internal import SecretService

extension Auth {
    /// The status of the store of users: which program keeps the secrets, and whether it is locked.
    ///
    /// It neither waits for the first load nor changes anything, and blocks until the store answers.
    /// - Throws: `keyringUnavailable`, `timedOut` or `accessDenied` when no keyring daemon answers.
    public func storeStatus() throws(AuthError) -> RecordStoreStatus {
        try storeStatus(by: engine.callDeadline)
    }

    /// The same, by this deadline.
    package func storeStatus(by deadline: Deadline) throws(AuthError) -> RecordStoreStatus {
        if let misconfiguration = engine.misconfiguration { throw misconfiguration }
        var status: RecordStoreStatus
        do throws(RecordStoreError) {
            status = try engine.slots.store.status(by: deadline)
        } catch {
            throw AuthError(error, in: .own)
        }
        let present = status.daemon.map(KeyringDaemon.Kind.init(program:))
        status.formerDaemons = engine.journal.formerKeepers(besides: present, by: deadline).compactMap(\.program)
        status.isObserving = engine.observer?.isObserving ?? false
        return status
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func storeStatus() async throws(AuthError) -> RecordStoreStatus {
        try await engine.offload { [self] () throws(AuthError) in try storeStatus() }
    }

    /// Asks the person to unlock the keyring, then reads the slot in use.
    ///
    /// Other calls continue meanwhile. `timeout` counts once the prompt is shown; to show it, the keyring has `Options.timeout`. The
    /// prompt is closed when the task is cancelled or `timeout` has passed, if the keyring daemon is known to survive that;
    /// otherwise it stays on the screen, and a later answer takes effect.
    /// - Throws: `promptDismissed` when the person declines, no prompt can be shown, or the task is cancelled; `timedOut`
    ///   when the person does not answer in time, or the keyring or the message bus does not.
    public func unlock(timeout: Duration = .seconds(120)) async throws(AuthError) {
        // The first load finds out which slot is in use.
        try await engine.waitForFirstLoad()
        let store = engine.slots.store
        try await ask(for: timeout, about: engine.state.slot ?? .own) { deadline throws(RecordStoreError) in
            try store.unlock(by: deadline)
        }
        try await engine.onQueue { [engine] () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in
                let slot = try operation.currentSlot()
                operation.take(try operation.read(slot), in: slot)
            }
        }
    }

    /// Creates the keyring collection for a group's users, or with nil for the app's own, if the options' store names one that
    /// does not exist yet; the keyring asks the person for a password.
    ///
    /// Until then no user can be signed in there, unless the slot's record exists elsewhere. Other calls continue meanwhile.
    /// `timeout` counts once the prompt is shown. The prompt is closed when the task is cancelled or `timeout` has passed, if the
    /// keyring daemon is known to survive that.
    /// - Throws: `promptDismissed` when the person declines, no prompt can be shown, or the task is cancelled; `timedOut`
    ///   when the person does not answer in time, or the keyring or the message bus does not; `invalidAccessGroup`, `accessGroupNotDeclared`.
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
    /// Runs work that waits for the person on a thread of its own, until it is done, `timeout` has passed, or the task is
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
            // On a shared queue, what the app does there would wait for the person, too.
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
            // To ask once more does no harm, whether the keyring has heard of this or not.
            throw AuthError(
                RecordStoreError(.timedOut, error.message, remedy: error.remedy, underlying: error.underlying),
                in: slot
            )
        }
        // The prompt was closed, or waits for the person: nothing was done yet.
        throw AuthError(
            .timedOut,
            "\(slot.description.capitalizedFirst): the prompt was not answered in time.",
            remedy: "Try again with a longer timeout.",
            underlying: error
        )
    }
}

extension RecordStoreError {
    /// Whether it was the person who did not answer in time; of an app's own store, which alone knows, that is assumed.
    fileprivate var isOfPerson: Bool {
        guard let error = underlying as? SecretServiceError else { return lockWait == nil }
        return error.circumstance == .unansweredPrompt
    }
}
