public import SecretService

extension SecretServiceRecordStore {
    /// Which program answers as the Secret Service, and whether its default collection is locked.
    public func status(within deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        let provider = try present(within: deadline)
        return RecordStoreStatus(
            kind: kind,
            provider: provider.executableName,
            // Without a collection, or with a provider that hangs, there is still a provider to name.
            isLocked: try? home(within: deadline).isLocked(within: deadline),
            isDurable: provider.isDurable
        )
    }

    /// Whether the provider that runs now has written to the disk what it has acknowledged.
    public func isDurableOnAcknowledge(within deadline: Deadline) throws(RecordStoreError) -> Bool {
        try present(within: deadline).isDurable ?? false
    }

    /// Which program answers as the Secret Service; two round trips to the bus, none to the program.
    public func provider(within deadline: Deadline) throws(RecordStoreError) -> String? {
        try present(within: deadline).executableName
    }

    /// The name that the present daemon has on the bus.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try present(within: deadline).uniqueName
    }

    private func present(within deadline: Deadline) throws(RecordStoreError) -> SecretServiceProvider {
        do {
            return try service.provider(within: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }
}
