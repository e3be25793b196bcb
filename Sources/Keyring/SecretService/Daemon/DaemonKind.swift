extension KeyringDaemon {
    /// The kind of a keyring daemon, independent of its version.
    ///
    /// A daemon is of a kind if the connection that owns `org.freedesktop.secrets` also owns a bus name of that kind.
    /// The daemon's program is no proof: its file may have been replaced, wrapped or made unreadable, or be invisible
    /// in another namespace.
    package enum Kind: Sendable, Hashable {
        case gnomeKeyring
        /// KWallet, in all generations of its program.
        case kWallet
        case keePassXC
        /// A daemon without a bus name of those kinds, or whose names are hidden, with the name of its program if
        /// known. pass-secret-service 0.1a0, for example, owns no other name.
        case other(String?)
    }
}

extension KeyringDaemon.Kind {
    /// The properties of a kind. An unknown property has the safest value.
    struct Facts: Sendable {
        /// The product name.
        var name: String?
        /// The names of its program. The first is the one that is stored in notes.
        var programs: [String] = []
        /// The bus names that identify it. GNOME Keyring 42.1, kwalletd5 5.103 and KeePassXC 2.7.4 acquire them before
        /// `org.freedesktop.secrets`.
        var busNames: [String] = []
        /// The directory with the files of its collections, below `XDG_DATA_HOME`, and their suffix; nil if it has none.
        var files: (directory: String, suffix: String)?
        /// Indicates whether acknowledged writes are on disk. `Tests/Suites/KeyringTests` kills each daemon after a write to
        /// find out.
        var isDurable: Bool?
        /// Indicates whether a search shows no prompt even if everything is locked.
        var searchesSilently = false
        /// Indicates whether it survives the dismissal of one of its prompts.
        var survivesDismissal = false
        /// Indicates whether a new item has exactly the attributes it was created with.
        var keepsAttributes = false
    }

    /// GNOME Keyring 42, 48 and 51. It writes its file to disk before it replies. If a prompt is dismissed while any
    /// unlock dialog is open, the daemon aborts and takes the secrets of the whole desktop with it; 48 aborts at any
    /// dismissal.
    private static let gnomeKeyringFacts = Facts(
        name: "GNOME Keyring",
        programs: ["gnome-keyring-daemon"],
        busNames: ["org.gnome.keyring"],
        files: ("keyrings", ".keyring"),
        isDurable: true,
        searchesSilently: true,
        survivesDismissal: false,
        keepsAttributes: true
    )

    /// kwalletd5 5.103 owns the first name, kwalletd6 6.13 the first two, and ksecretd 6.30 the last, while another
    /// process owns the first two. It saves after five seconds without a write.
    private static let kWalletFacts = Facts(
        name: "KWallet",
        programs: ["kwalletd6", "kwalletd5", "ksecretd"],
        busNames: ["org.kde.kwalletd5", "org.kde.kwalletd6", "org.kde.ksecretd"],
        files: ("kwalletd", ".kwl"),
        isDurable: false,
        survivesDismissal: true
    )

    /// KeePassXC 2.7.4, 2.7.10 and 2.8.0. It saves later, and a search shows a prompt if everything is locked.
    private static let keePassXCFacts = Facts(
        name: "KeePassXC",
        programs: ["keepassxc"],
        busNames: ["org.keepassxc.KeePassXC.MainWindow"],
        isDurable: false,
        survivesDismissal: true
    )

    /// The properties of the kind.
    var facts: Facts {
        switch self {
        case .gnomeKeyring: Self.gnomeKeyringFacts
        case .kWallet: Self.kWalletFacts
        case .keePassXC: Self.keePassXCFacts
        case .other(let program): Facts(name: program)
        }
    }

    /// The kinds that have bus names.
    static let named: [KeyringDaemon.Kind] = [.gnomeKeyring, .kWallet, .keePassXC]

    /// The bus names of all kinds.
    static let busNames = named.flatMap(\.facts.busNames)

    /// The programs of all kinds.
    static let programs = named.flatMap(\.facts.programs)

    /// Creates the kind whose bus name a connection owns; nil if it owns none.
    ///
    /// - Parameter owners: The unique names of the owners of the kinds' bus names.
    init?(of uniqueName: String, among owners: [String: String]) {
        let kind = Self.named.first { kind in kind.facts.busNames.contains { owners[$0] == uniqueName } }
        guard let kind else { return nil }
        self = kind
    }

    /// Indicates whether it is one of the kinds that have bus names.
    package var isKnown: Bool {
        if case .other = self { false } else { true }
    }
}

extension KeyringDaemon.Kind {
    /// Creates the kind that a program of this name belongs to. Use it for notes and messages only: a program's name
    /// does not show what the daemon survives.
    package init(program: String) {
        let name = ProgramName.normalized(program)
        self = Self.named.first { $0.facts.programs.contains(name) } ?? .other(name)
    }

    /// The program name that represents the kind; nil for a program without a known name.
    package var program: String? {
        if case .other(let program) = self { program } else { facts.programs.first }
    }

    /// The product name; nil for a program without a known name.
    package var name: String? { facts.name }
}

extension KeyringDaemon {
    /// Indicates whether acknowledged writes are on disk; nil if unknown.
    package var isDurable: Bool? { kind.facts.isDurable }

    /// Indicates whether a search shows no prompt even if everything is locked; false if unknown.
    package var searchesSilently: Bool { kind.facts.searchesSilently }

    /// Indicates whether the daemon survives the dismissal of one of its prompts; false if unknown.
    package var survivesDismissal: Bool { kind.facts.survivesDismissal }

    /// Indicates whether a new item has exactly the attributes it was created with; false if unknown.
    package var keepsAttributes: Bool { kind.facts.keepsAttributes }
}
