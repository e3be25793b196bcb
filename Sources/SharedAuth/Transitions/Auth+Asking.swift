internal import Dispatch
internal import SecretService

extension Auth {
    /// Runs what waits for the person where no other call waits for it, until it is done, the person's time is over, or the
    /// task is cancelled.
    func ask(
        _ patience: Duration,
        about slot: Slot,
        _ work: @escaping @Sendable (Deadline) throws(RecordStoreError) -> Void
    ) async throws(AuthError) {
        if let misconfiguration { throw misconfiguration }
        let cancellation = Cancellation()
        let deadline = Deadline.after(patience, cancelledBy: cancellation)
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
            "\(slot.description.capitalizedFirst): the person did not answer in time. Try again, with more patience.",
            underlying: error
        )
    }
}
