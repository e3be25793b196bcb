internal import SecretService

extension Auth {
    /// What the store of users says of itself: who keeps the secrets, and whether it is locked.
    ///
    /// It neither waits for the first load nor changes anything, and blocks until the store answers.
    /// - Throws: `keyringUnavailable`, `timedOut` or `accessDenied` when nobody answers as the keyring.
    public func storeStatus() throws(AuthError) -> RecordStoreStatus {
        if let misconfiguration { throw misconfiguration }
        do throws(RecordStoreError) {
            return try slots.store.status(within: .after(options.deadline))
        } catch {
            throw AuthError(error, in: .own)
        }
    }
}
