extension PrivateKeyring {
    /// Unlocks the default collection without any of the programs under test.
    public func unlock() throws {
        switch kind {
        case .gnomeKeyring: try unlockGNOMEKeyring()
        case .kWallet: try unlockKWallet()
        case .keePassXC, .passSecretService:
            throw PrivateKeyringError("\(kind.rawValue) is unlocked in its window, or never locked")
        }
        try awaitDefaultCollection(locked: false)
    }
}
