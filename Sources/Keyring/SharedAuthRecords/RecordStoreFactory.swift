public import SecretService

/// Creates the store in which an app keeps its users.
public struct RecordStoreFactory: Sendable {
    package let kind: RecordStoreKind
    package let make: @Sendable () -> any RecordStore

    package init(_ kind: RecordStoreKind, make: @escaping @Sendable () -> any RecordStore) {
        self.kind = kind
        self.make = make
    }

    /// The desktop's Secret Service: GNOME Keyring, KWallet, KeePassXC, and others. New records go to its default
    /// collection, unless `collection` names another.
    public static func secretService(
        _ configuration: SecretService.Configuration = .init(),
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic
    ) -> RecordStoreFactory {
        RecordStoreFactory(.secretService) {
            SecretServiceRecordStore(SecretService(configuration), collection: collection, locking: locking)
        }
    }

    /// The memory of this process.
    public static func inMemory(_ store: InMemoryRecordStore = InMemoryRecordStore()) -> RecordStoreFactory {
        RecordStoreFactory(store.kind) { store }
    }

    /// A store that the app implements.
    public static func custom(_ store: any RecordStore) -> RecordStoreFactory {
        RecordStoreFactory(store.kind) { store }
    }
}
