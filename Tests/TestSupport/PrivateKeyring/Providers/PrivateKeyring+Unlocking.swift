extension PrivateKeyring {
    /// Unlocks the default collection without any of the programs under test.
    package func unlock() throws {
        switch kind {
        case .kWallet: try unlockKWallet()
        case .gnomeKeyring, .keePassXC, .passSecretService:
            throw PrivateKeyringError("\(kind.rawValue) is unlocked by a person, or never locked")
        }
        try awaitDefaultCollection(locked: false)
    }
}
