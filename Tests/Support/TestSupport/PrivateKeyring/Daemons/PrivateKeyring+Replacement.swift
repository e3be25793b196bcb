internal import Glibc

/// A user, or a repair tool, that puts an empty collection in the place of the default one.
extension PrivateKeyring {
    /// Locks the keyring, so that the daemon has saved everything, ends the daemon, moves its collection aside, and starts
    /// the daemon with a new one in its place.
    package func replaceCollection() throws {
        try lock()
        try terminateDaemon()
        try move(collectionFile, to: formerFile)
        try prepareCollection()
        try startDaemon(unlocked: true)
    }

    /// Ends the daemon, and starts it with the former collection.
    package func restoreCollection() throws {
        try terminateDaemon()
        try move(collectionFile, to: "\(directory)/data/replacement")
        try move(formerFile, to: collectionFile)
        try startDaemon(unlocked: true)
    }

    /// The path of the former collection's file while another one is in its place.
    package var formerFile: String { "\(collectionFile).former" }

    private var collectionFile: String {
        switch kind {
        case .gnomeKeyring: "\(directory)/data/keyrings/login.keyring"
        case .keePassXC: "\(directory)/data/test.kdbx"
        case .kWallet: "\(directory)/data/kwalletd"
        case .passSecretService: "\(home)/.password-store"
        }
    }

    private func prepareCollection() throws {
        switch kind {
        case .gnomeKeyring, .passSecretService: break
        case .keePassXC: try prepareKeePassXC(for: .unlocked)
        case .kWallet: try prepareKWallet()
        }
    }

    private func move(_ path: String, to other: String) throws {
        guard unsafe rename(path, other) == 0 else {
            throw PrivateKeyringError("\(path) cannot be moved: error \(errno)")
        }
    }
}
