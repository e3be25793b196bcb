internal import SecretService

extension Auth {
    /// What the store of users says of itself: who keeps the secrets, and whether it is locked.
    ///
    /// It neither waits for the first load nor changes anything, and blocks until the store answers.
    /// - Throws: `keyringUnavailable`, `timedOut` or `accessDenied` when nobody answers as the keyring.
    public func storeStatus() throws(AuthError) -> RecordStoreStatus {
        if let misconfiguration { throw misconfiguration }
        var status: RecordStoreStatus
        do throws(RecordStoreError) {
            status = try slots.store.status(within: .after(options.deadline))
        } catch {
            throw AuthError(error, in: .own)
        }
        if let present = status.provider, let slot = try? choiceFile.read().slot {
            let keepers = providerNotes[slot]
            if !keepers.contains(present) { status.formerProviders = keepers }
        }
        return status
    }
}
