public import FoundationEssentials

/// The status of a store, to be shown to the user.
public struct RecordStoreStatus: Sendable, Hashable {
    /// The kind of the store.
    public let kind: RecordStoreKind
    /// The program that keeps the records, such as `gnome-keyring-daemon`; nil when there is no such program or its
    /// name is unknown.
    ///
    /// GNOME Keyring, KWallet and KeePassXC are recognized by the bus names that they own, other programs by their
    /// process. The name proves nothing: any process of the same user can act as the Secret Service.
    public let daemon: String?
    /// Indicates whether the collection for new records is locked; nil when this is unknown, e.g. because there is
    /// none.
    public let isLocked: Bool?
    /// Indicates whether written data survives a crash of the daemon from the moment the write returns; nil when this
    /// is unknown.
    public let isDurable: Bool?

    /// The programs that kept the app's records earlier, unless the present one is among them: the desktop has changed
    /// its keyring daemon. All versions of KWallet count as one, `kwalletd6`. A store by itself reports none.
    public package(set) var formerDaemons: [String] = []

    /// Indicates whether the app currently observes changes made by other processes. Observation begins with the first
    /// load, and resumes automatically when the keyring daemon returns. A store by itself observes nothing.
    public package(set) var isObserving = false

    /// The part of this device in a fleet, if the store shares its records with the person's other devices; else nil.
    public var fleet: FleetStatus?

    /// Creates a status.
    public init(
        kind: RecordStoreKind,
        daemon: String? = nil,
        isLocked: Bool? = nil,
        isDurable: Bool? = nil
    ) {
        self.kind = kind
        self.daemon = daemon
        self.isLocked = isLocked
        self.isDurable = isDurable
    }
}

/// The state of a store that shares its records with the person's other devices.
public struct FleetStatus: Sendable, Hashable {
    /// The name of this device.
    public let device: String
    /// Indicates whether the store's server could not be used by the last call. Records are then read from the copy on
    /// this device.
    public let isAway: Bool
    /// The time at which the server last confirmed the record that was read last; nil if no record was read.
    public let asOf: Date?
    /// The number of sign-outs that are carried out when the server is back.
    public let pendingSignOuts: Int

    /// Creates a status.
    public init(device: String, isAway: Bool, asOf: Date?, pendingSignOuts: Int) {
        self.device = device
        self.isAway = isAway
        self.asOf = asOf
        self.pendingSignOuts = pendingSignOuts
    }
}

/// The kind of a record store. More kinds may be added, and an app's own store may define its own kind.
public struct RecordStoreKind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name of the kind, as the tools print it.
    public let rawValue: String

    /// The name.
    public var description: String { rawValue }

    /// Creates a kind with this name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The desktop's Secret Service.
    public static let secretService = RecordStoreKind(rawValue: "secret-service")
    /// Encrypted files in a directory.
    public static let encryptedFile = RecordStoreKind(rawValue: "encrypted-file")
    /// The memory of this process. Its records are lost when the process ends.
    public static let inMemory = RecordStoreKind(rawValue: "in-memory")
}
