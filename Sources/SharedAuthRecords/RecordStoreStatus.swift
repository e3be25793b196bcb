/// What a store says of itself, for people to read.
public struct RecordStoreStatus: Sendable, Hashable {
    /// Which kind of store it is.
    public let kind: RecordStoreKind
    /// The program that keeps the records, such as `gnome-keyring-daemon`; nil when there is none, or its name is not known.
    ///
    /// GNOME Keyring, KWallet and KeePassXC are known by the bus names that they own, others by what the system says of
    /// their process. It proves nothing: any process of the same user may answer as the Secret Service.
    public let daemon: String?
    /// Whether the place where new records go is locked; nil when that is not known, e.g. because there is none.
    public let isLocked: Bool?
    /// Whether what is written survives a crash of the daemon from the moment the write returns; nil when that
    /// is not known.
    public let isDurable: Bool?

    /// The programs that kept the app's records when it last saw them, if the present one is not among them: the desktop has
    /// changed its keyring daemon. The generations of KWallet are one, which is called `kwalletd6`. A store by itself
    /// knows of none.
    public package(set) var formerDaemons: [String] = []

    /// Whether the app observes changes that other processes make at this moment. Observing begins with the first load, and begins
    /// again by itself when the keyring daemon comes back. A store by itself observes nothing.
    public package(set) var isObserving = false

    /// Makes a status.
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

/// The kind of a store that keeps records. The set may grow, and a store of the app's own may name a kind of its own.
public struct RecordStoreKind: RawRepresentable, Sendable, Hashable {
    /// The name of the kind, as the tools print it.
    public let rawValue: String

    /// Names a kind.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The desktop's Secret Service.
    public static let secretService = RecordStoreKind(rawValue: "secret-service")
    /// Encrypted files in a directory.
    public static let encryptedFile = RecordStoreKind(rawValue: "encrypted-file")
    /// The memory of this process, gone when it ends.
    public static let inMemory = RecordStoreKind(rawValue: "in-memory")
}
