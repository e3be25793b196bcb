public import SecretService

extension SecretServiceRecordStore {
    /// Which program answers as the Secret Service, and whether its default collection is locked.
    public func status(within deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        let provider: SecretServiceProvider
        do {
            provider = try service.provider(within: deadline)
        } catch {
            throw RecordStoreError(error)
        }
        return RecordStoreStatus(
            kind: kind,
            provider: provider.executableName,
            // Without a default collection, or with a provider that hangs, there is still a provider to name.
            isLocked: try? service.defaultCollection(within: deadline).isLocked(within: deadline)
        )
    }
}
