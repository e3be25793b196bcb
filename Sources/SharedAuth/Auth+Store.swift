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
        status.formerProviders = formerProviders(besides: status.provider)
        return status
    }

    /// The programs that keep the user of the slot in use, unless the present provider is one of them or has no name.
    /// Asks nobody.
    package func formerProviders(besides present: String?) -> [String] {
        guard let present, let slot = try? choiceFile.read().slot else { return [] }
        let keepers = providerNotes[slot]
        return keepers.contains(present) ? [] : keepers
    }
}
