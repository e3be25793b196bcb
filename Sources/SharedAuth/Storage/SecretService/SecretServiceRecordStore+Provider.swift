public import SecretService

extension SecretServiceRecordStore {
    /// Which program answers as the Secret Service; two round trips to the bus, none to the program.
    public func provider(within deadline: Deadline) throws(RecordStoreError) -> String? {
        do {
            return try service.provider(within: deadline).executableName
        } catch {
            throw RecordStoreError(error)
        }
    }
}
