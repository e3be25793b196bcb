extension KeyringDaemon {
    /// Which keyring daemon it is, whatever its version.
    ///
    /// A daemon is of a kind if the connection that owns `org.freedesktop.secrets` owns a bus name of that kind, too.
    /// Its program proves nothing: its file may have been replaced, wrapped or made unreadable, or be out of sight in
    /// another namespace.
    package enum Kind: Sendable, Hashable {
        case gnomeKeyring
        /// KWallet, with all generations of its program.
        case kWallet
        case keePassXC
        /// One that owns no bus name of those, or of which they are hidden, and the name of its program if the system
        /// says. pass-secret-service 0.1a0 is one: it owns no other name.
        case other(String?)
    }
}

extension KeyringDaemon.Kind {
    /// The properties of a kind. A property that is not known has the value that does the least harm.
    struct Facts: Sendable {
        /// The name that people use.
        var name: String?
        /// The names of its program; the first is the one that stands for it in notes.
        var programs: [String] = []
        /// The bus names by which it is known. GNOME Keyring 42.1, kwalletd5 5.103 and KeePassXC 2.7.4 take them before
        /// `org.freedesktop.secrets`.
        var busNames: [String] = []
        /// Whether what it has acknowledged is on the disk. `Tests/KeyringTests` kills each daemon after a write to
        /// find out.
        var isDurable: Bool?
        /// Whether a search shows no prompt even while everything is locked.
        var searchesSilently = false
        /// Whether it lives on when a prompt of its is dismissed.
        var survivesDismissal = false
        /// Whether a new item has exactly the attributes that it was created with.
        var keepsAttributes = false
    }

    /// GNOME Keyring 42, 48 and 51. It synchronizes its file before it answers. When a prompt is dismissed while any
    /// dialog to unlock is open, it aborts, and takes the secrets of the whole desktop along; 48 aborts at any
    /// dismissal.
    private static let gnomeKeyringFacts = Facts(
        name: "GNOME Keyring",
        programs: ["gnome-keyring-daemon"],
        busNames: ["org.gnome.keyring"],
        isDurable: true,
        searchesSilently: true,
        survivesDismissal: false,
        keepsAttributes: true
    )

    /// kwalletd5 5.103 owns the first name, kwalletd6 6.13 the first two, and ksecretd 6.30 the last; beside it another
    /// process owns the first two. It saves when five seconds have passed without a write.
    private static let kWalletFacts = Facts(
        name: "KWallet",
        programs: ["kwalletd6", "kwalletd5", "ksecretd"],
        busNames: ["org.kde.kwalletd5", "org.kde.kwalletd6", "org.kde.ksecretd"],
        isDurable: false,
        survivesDismissal: true
    )

    /// KeePassXC 2.7.4, 2.7.10 and 2.8.0. It saves later, and a search shows a prompt where all is locked.
    private static let keePassXCFacts = Facts(
        name: "KeePassXC",
        programs: ["keepassxc"],
        busNames: ["org.keepassxc.KeePassXC.MainWindow"],
        isDurable: false,
        survivesDismissal: true
    )

    /// The row of a kind.
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

    /// The kind of which a connection owns a bus name; nil if it owns none.
    ///
    /// - Parameter owners: the unique names that own the bus names of kinds.
    init?(of uniqueName: String, among owners: [String: String]) {
        let kind = Self.named.first { kind in kind.facts.busNames.contains { owners[$0] == uniqueName } }
        guard let kind else { return nil }
        self = kind
    }

    /// Whether it is one of the kinds that have bus names.
    package var isKnown: Bool {
        if case .other = self { false } else { true }
    }
}

extension KeyringDaemon.Kind {
    /// The kind to which a program of this name belongs. Good for notes and for people; what a daemon survives, its
    /// program does not tell.
    package init(program: String) {
        let name = ProgramName.normalized(program)
        self = Self.named.first { $0.facts.programs.contains(name) } ?? .other(name)
    }

    /// The name of the program that stands for all of its programs; nil for a program that has no known name.
    package var program: String? {
        if case .other(let program) = self { program } else { facts.programs.first }
    }

    /// The name that people use; nil for a program without a known name.
    package var name: String? { facts.name }
}

extension KeyringDaemon {
    /// Whether what the daemon has acknowledged is on the disk; nil where that is not known.
    package var isDurable: Bool? { kind.facts.isDurable }

    /// Whether a search shows no prompt even while everything is locked; false where that is not known.
    package var searchesSilently: Bool { kind.facts.searchesSilently }

    /// Whether it lives on when a prompt of its is dismissed; false where that is not known.
    package var survivesDismissal: Bool { kind.facts.survivesDismissal }

    /// Whether a new item has exactly the attributes that it was created with; false where that is not known.
    package var keepsAttributes: Bool { kind.facts.keepsAttributes }
}
