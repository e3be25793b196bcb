public import SecretService

extension SecretServiceRecordStore {
    /// Which program answers as the Secret Service, and whether its default collection is locked.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        var asked: Asked<(collection: SecretCollection, isLocked: Bool)>?
        if case .named = collection {} else { asked = try? service.askForDefaultCollection(by: deadline) }
        let provider = try present(by: deadline)
        // Without a collection, or with a provider that hangs, there is still a provider to name.
        let isLocked =
            if let asked { try? asked.answer(by: deadline).isLocked } else {
                try? home(by: deadline).isLocked(by: deadline)
            }
        return RecordStoreStatus(
            kind: kind,
            provider: provider.executableName,
            isLocked: isLocked,
            isDurable: provider.isDurable
        )
    }

    /// Whether the program that answered last has written to the disk what it has acknowledged.
    public func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        try answering(by: deadline).isDurable ?? false
    }

    /// The program that answered last; one question to the bus for each new one.
    public func provider(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try answering(by: deadline).executableName
    }

    /// The run of the program that answered last.
    public func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try answering(by: deadline).instanceID
    }

    /// The program that answered last; before any has, the one that would.
    private func answering(by deadline: Deadline) throws(RecordStoreError) -> SecretServiceProvider {
        do throws(SecretServiceError) {
            if let answering = try service.answeringProvider(by: deadline) { return answering }
            return try service.provider(by: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }

    private func present(by deadline: Deadline) throws(RecordStoreError) -> SecretServiceProvider {
        do {
            return try service.provider(by: deadline)
        } catch {
            throw RecordStoreError(error)
        }
    }
}
