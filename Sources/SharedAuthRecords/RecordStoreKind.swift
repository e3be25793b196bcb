/// Which kind of store keeps the records.
public enum RecordStoreKind: String, Sendable, Hashable {
    /// The desktop's Secret Service.
    case secretService = "secret-service"
    /// Encrypted files in a directory.
    case encryptedFile = "encrypted-file"
    /// The memory of this process, gone when it ends.
    case inMemory = "in-memory"
}
