import PrivateKeyring

/// The keyring that tests share which do not disturb it; each keeps to a project of its own.
enum Keyrings {
    static let shared = Result { try PrivateKeyring() }
}
