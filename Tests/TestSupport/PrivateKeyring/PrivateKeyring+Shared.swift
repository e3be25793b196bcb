extension PrivateKeyring {
    /// The keyring that tests of a process share which do not disturb it; each keeps to a project of its own.
    package static let shared = Result { try PrivateKeyring() }
}
