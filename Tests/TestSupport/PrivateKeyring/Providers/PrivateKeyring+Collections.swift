internal import Glibc
internal import SecretService

extension PrivateKeyring {
    /// Starts GNOME Keyring with an open default collection and others that are open, too.
    package convenience init(withOpen labels: [String]) throws {
        try self.init(withLocked: labels)
        try service.unlock(service.collections(by: .after(.seconds(10))), by: .after(.seconds(10)))
    }

    /// Starts GNOME Keyring with an open default collection and others that have no password: they are locked, and whoever
    /// asks opens them without any prompt. The names in their paths are `extra0`, `extra1` and so on.
    package convenience init(withLocked labels: [String]) throws {
        try self.init(state: .noProvider)
        let folder = "\(directory)/data/keyrings"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw PrivateKeyringError("no \(folder): error \(errno)") }
        for (number, label) in labels.enumerated() {
            try Files.write("[keyring]\ndisplay-name=\(label)\n", to: "\(folder)/extra\(number).keyring")
        }
        try startProvider(unlocked: true)
    }
}
