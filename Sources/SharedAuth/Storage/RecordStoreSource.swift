public import SecretService

/// Says where an app's users are stored.
public struct RecordStoreSource: Sendable {
    let make: @Sendable () -> any RecordStore

    /// The desktop's Secret Service: GNOME Keyring, KWallet, KeePassXC, and their like.
    public static func secretService(
        _ configuration: SecretService.Configuration = .init(),
        locking: CrossProcessLocking = .automatic
    ) -> RecordStoreSource {
        RecordStoreSource { SecretServiceRecordStore(SecretService(configuration), locking: locking) }
    }

    /// The memory of this process.
    public static func inMemory(_ store: InMemoryRecordStore = InMemoryRecordStore()) -> RecordStoreSource {
        RecordStoreSource { store }
    }

    /// A store of the app's own.
    public static func custom(_ store: any RecordStore) -> RecordStoreSource {
        RecordStoreSource { store }
    }
}
