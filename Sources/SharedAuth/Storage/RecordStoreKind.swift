/// Which kind of store keeps the records.
public enum RecordStoreKind: String, Sendable, Hashable {
    /// The desktop's Secret Service.
    case secretService = "secret-service"
    /// The memory of this process, gone when it ends.
    case inMemory = "in-memory"
}
