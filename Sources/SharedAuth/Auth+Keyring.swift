internal import Dispatch
internal import SecretService

extension Auth {
    /// What the store of users says of itself: who keeps the secrets, and whether it is locked.
    ///
    /// It neither waits for the first load nor changes anything, and blocks until the store answers.
    /// - Throws: `keyringUnavailable`, `timedOut` or `accessDenied` when nobody answers as the keyring.
    @available(*, noasync)
    public func storeStatus() throws(AuthError) -> RecordStoreStatus {
        if let misconfiguration { throw misconfiguration }
        var status: RecordStoreStatus
        do throws(RecordStoreError) {
            status = try slots.store.status(by: callDeadline)
        } catch {
            throw AuthError(error, in: .own)
        }
        status.formerProviders = journal.formerKeepers(besides: status.provider)
        status.isObserving = observer?.isObserving ?? false
        return status
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func storeStatus() async throws(AuthError) -> RecordStoreStatus {
        try await offload { [self] () throws(AuthError) in try storeStatus() }
    }

    /// Asks the person to unlock the keyring, and reads the slot then.
    ///
    /// Other calls go on meanwhile. The person's prompt is withdrawn when the task is cancelled or `timeout` has passed.
    /// - Throws: `promptDismissed` when the person declines, nobody can be asked, or the task is cancelled; `timedOut`
    ///   when nobody answers.
    public func unlock(timeout: Duration = .seconds(120)) async throws(AuthError) {
        // What is locked has to be known.
        _ = await ready()
        let store = slots.store
        try await ask(for: timeout, about: sessionState.slot ?? .own) { deadline throws(RecordStoreError) in
            try store.unlock(by: deadline)
        }
        try await onQueue { [self] () throws(AuthError) in
            try withOperation { operation throws(AuthError) in
                let slot = try operation.currentSlot()
                operation.take(try operation.read(slot), in: slot)
            }
        }
    }

    /// Has the keyring make the collection that is to hold a group's users, or with nil the app's own, if the options'
    /// store names one that is not there yet; the keyring asks the person for its password.
    ///
    /// Until then nobody can be signed in there, unless the slot's record exists elsewhere. Other calls go on meanwhile. The
    /// person's prompt is withdrawn when the task is cancelled or `timeout` has passed.
    /// - Throws: `promptDismissed` when the person declines, nobody can be asked, or the task is cancelled; `timedOut`
    ///   when nobody answers; `invalidAccessGroup`, `accessGroupNotDeclared`.
    public func createCollection(
        forAccessGroup accessGroup: String? = nil,
        timeout: Duration = .seconds(120)
    ) async throws(AuthError) {
        let slot = try slot(named: accessGroup)
        let (store, key) = (slots.store, try slots.key(slot))
        try await ask(for: timeout, about: slot) { deadline throws(RecordStoreError) in
            try store.createCollection(for: key, by: deadline)
        }
    }
}

extension Auth {
    /// Runs what waits for the person where no other call waits for it, until it is done, the person's time is over, or the
    /// task is cancelled.
    func ask(
        for timeout: Duration,
        about slot: Slot,
        _ work: @escaping @Sendable (Deadline) throws(RecordStoreError) -> Void
    ) async throws(AuthError) {
        if let misconfiguration { throw misconfiguration }
        let cancellation = Cancellation()
        let deadline = Deadline.after(timeout, cancelledBy: cancellation)
        let outcome = await withTaskCancellationHandler {
            await DispatchQueue.global().perform {
                Result { () throws(RecordStoreError) in try work(deadline) }
            }
        } onCancel: {
            cancellation.cancel()
        }
        guard case .failure(let error) = outcome else { return }
        if cancellation.isCancelled {
            throw AuthError(
                .promptDismissed,
                "\(slot.description.capitalizedFirst): the call was cancelled before the person had answered.",
                underlying: error
            )
        }
        // The prompt is withdrawn: what was asked for is not done.
        guard error.code == .timedOut else { throw AuthError(error, in: slot) }
        throw AuthError(
            .timedOut,
            "\(slot.description.capitalizedFirst): the person did not answer in time. Try again, with a longer timeout.",
            underlying: error
        )
    }
}
