public import SecretService

extension SecretServiceRecordStore {
    /// Which program answers as the Secret Service, and whether its default collection is locked.
    public func status(within deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        let provider = try provider(within: deadline)
        return RecordStoreStatus(
            kind: kind,
            provider: provider.executableName,
            // Without a default collection, or with a provider that hangs, there is still a provider to name.
            isLocked: try? service.defaultCollection(within: deadline).isLocked(within: deadline),
            isDurable: provider.isDurableOnAcknowledge
        )
    }

    /// Whether the provider that runs now has written to the disk what it has acknowledged.
    public func isDurableOnAcknowledge(within deadline: Deadline) throws(RecordStoreError) -> Bool {
        try provider(within: deadline).isDurableOnAcknowledge ?? false
    }

    private func provider(within deadline: Deadline) throws(RecordStoreError) -> SecretServiceProvider {
        do {
            return try service.provider(within: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }
}

extension SecretServiceProvider {
    /// What is known of the program; `Tests/ProviderTests` kills each provider after a write to see.
    fileprivate var isDurableOnAcknowledge: Bool? {
        switch executableName {
        // It has synchronised its file before it answers.
        case "gnome-keyring-daemon": true
        // They save later, KWallet only once nobody has written for five seconds.
        case "keepassxc", "kwalletd5", "kwalletd6", "ksecretd": false
        default: nil
        }
    }
}
