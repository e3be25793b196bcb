internal import Glibc
internal import SecretService

extension PrivateKeyring {
    func startGNOMEKeyring(unlocked: Bool) throws {
        try spawnDaemon(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + (unlocked ? ["--unlock"] : []),
            input: Self.password
        )
        try awaitDaemon()
    }
}

extension PrivateKeyring {
    /// Gives GNOME Keyring the password as a login does, over its socket, of which it sends no signal.
    func unlockGNOMEKeyring() throws {
        let control = try LocalSocket.connected(to: "\(directory)/runtime/keyring/control")
        defer { close(control.file) }
        // Big endian.
        func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
        let password = Array(Self.password.utf8)
        // A byte with which the credentials go, the length of the message, the operation "unlock", the password.
        control.write([0] + number(12 + password.count) + number(1) + number(password.count) + password)
        let answer = control.read(8)
        guard answer?.suffix(4) == [0, 0, 0, 0] else { throw PrivateKeyringError("the keyring was not unlocked") }
    }

    /// Replaces the default keyring's file with one that has no password and this text in place of items, and starts
    /// GNOME Keyring as a login without a password does. Returns the path of the file.
    package func startWithoutPassword(_ text: String = "") throws -> String {
        let folder = "\(directory)/data/keyrings"
        _ = unsafe mkdir(folder, 0o700)
        let file = "\(folder)/login.keyring"
        let head = ["[keyring]", "display-name=Login", "ctime=0", "mtime=0", "lock-on-idle=false", "lock-after=false"]
        try Files.write(head.map { "\($0)\n" }.joined() + text, to: file)
        try startDaemon(unlocked: false)
        return file
    }
}

/// GNOME Keyring as the bus activates it at a call: locked, because no login gave it the password.
extension PrivateKeyring {
    private var serviceFile: String { "\(directory)/services/org.freedesktop.secrets.service" }

    /// Kills the daemon. The bus starts it again, locked, at the next call from any client.
    package func killDaemonAndActivate() throws {
        try killDaemon()
        try Files.write(
            """
            [D-BUS Service]
            Name=org.freedesktop.secrets
            Exec=/usr/bin/env gnome-keyring-daemon --foreground --components=secrets
            """,
            to: serviceFile
        )
    }

    /// Ends the daemon that the bus may have started, and starts it unlocked. The bus starts none from now on.
    package func unlockActivated() throws {
        _ = unsafe unlink(serviceFile)
        if let activated = try presentDaemon()?.processID {
            kill(activated, SIGKILL)
            try waitFor("the activated daemon to be gone") { try presentDaemon()?.processID != activated }
        }
        try startDaemon(unlocked: true)
    }
}

extension PrivateKeyring {
    /// Starts GNOME Keyring with an open default collection and other open collections.
    package convenience init(withOpen labels: [String]) throws {
        try self.init(withLocked: labels)
        try service.unlock(service.collections(by: .after(.seconds(10))), by: .after(.seconds(10)))
    }

    /// Starts GNOME Keyring with an open default collection and others that have no password: they are locked, and a
    /// request opens them without any prompt. The names in their paths are `extra0`, `extra1` and so on.
    package convenience init(withLocked labels: [String]) throws {
        try self.init(state: .noDaemon)
        let folder = "\(directory)/data/keyrings"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw PrivateKeyringError("no \(folder): error \(errno)") }
        for (number, label) in labels.enumerated() {
            try Files.write("[keyring]\ndisplay-name=\(label)\n", to: "\(folder)/extra\(number).keyring")
        }
        try startDaemon(unlocked: true)
    }
}

/// Changes that other programs make to a keyring, with plain calls of the Secret Service.
extension PrivateKeyring {
    /// Deletes the collection with this name in its path.
    package func deleteCollection(_ name: String) throws {
        try call(Self.collection(name), "Collection.Delete")
    }

    /// Makes the collection with this name the default one.
    package func makeDefault(_ name: String) throws {
        try call("/org/freedesktop/secrets", "Service.SetAlias", "default", Self.collection(name))
    }

    /// Returns the object path of the collection with this name.
    package static func collection(_ name: String) -> String { "/org/freedesktop/secrets/collection/\(name)" }

    private func call(_ path: String, _ method: String, _ arguments: String...) throws {
        let target = ["call", "--session", "--dest", "org.freedesktop.secrets", "--object-path", path]
        let called = try run("gdbus", target + ["--method", "org.freedesktop.Secret.\(method)"] + arguments)
        if called.status != 0 { throw PrivateKeyringError("\(method): \(called.standardError)") }
    }
}
