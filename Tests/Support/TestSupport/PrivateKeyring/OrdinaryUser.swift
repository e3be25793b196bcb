internal import Glibc
internal import SecretService

/// A private bus and GNOME Keyring that belong to an ordinary user, who sees no more of the daemon's process than any
/// user of a desktop.
///
/// If the tests run as root, the user is `nobody`; otherwise it is the user who runs them. The bus is at the path where
/// GLib looks for it, so that a program with a file capability, which ignores `DBUS_SESSION_BUS_ADDRESS`, finds it too.
package final class OrdinaryUser: Sendable {
    /// The form in which the daemon's program is installed.
    package enum Packaging: String, Sendable, CaseIterable {
        /// The way Debian installs it.
        case plain
        /// With a file capability, so that a user cannot see the program's file.
        case capable
        /// With its file replaced while it runs, as in an upgrade of the package.
        case replaced
        /// With the name that a wrapper gives it.
        case wrapped
    }

    /// The keyring's directory and environment; its default bus and daemon do not run.
    package let keyring: PrivateKeyring

    /// Makes the user's home and starts their bus.
    ///
    /// - Parameter admitsOthers: Whether other users may connect to the bus, unlike to that of a session.
    package init(admitsOthers: Bool = true) throws {
        keyring = try PrivateKeyring(state: .noDaemon)
        keyring.killBus()
        try startUsersBus(admitsOthers: admitsOthers)
    }

    private static let isRoot = geteuid() == 0

    /// Returns the reason why nothing can be tested with this packaging, otherwise nil.
    package func obstacle(to packaging: Packaging) throws -> String? {
        if packaging == .capable {
            guard Self.isRoot else { return "only root can give a file a capability" }
            guard Programs.path(of: "setcap") != nil else { return "setcap is not installed" }
        }
        let tool = try BuiltProducts.executable("sharedauth")
        guard try run(["test", "-x", tool]).status == 0 else { return "an ordinary user cannot read the build" }
        return nil
    }

    /// Starts the daemon, and returns when it is ready: locked, or with an open default collection.
    package func startDaemon(_ packaging: Packaging, unlocked: Bool) throws {
        // A directory where file capabilities are effective. No process of the tests has the copy open for writing.
        let folder = TestDirectory.newPath()
        let path = "\(folder)/\(packaging == .wrapped ? ".gnome-keyring-daemon-wrapped" : "gnome-keyring-daemon")"
        try perform("mkdir", folder)
        let installed = "/usr/bin/gnome-keyring-daemon"
        try perform("cp", installed, path)
        if packaging == .capable { try perform("setcap", "cap_ipc_lock=ep", path) }
        let password = try SocketPair()
        defer { close(password.ours) }
        try Files.write(Array(PrivateKeyring.password.utf8), to: password.ours)
        shutdown(password.ours, Int32(SHUT_WR))
        let arguments = ["--foreground", "--components=secrets"] + (unlocked ? ["--unlock"] : [])
        _ = try start([path] + arguments, input: password.theirs)
        close(password.theirs)
        let service = keyring.makeService(waitsForDaemon: true)
        if unlocked { _ = try service.defaultCollection() } else { _ = try service.collections() }
        if packaging == .replaced {
            try perform("cp", installed, "\(folder)/new")
            try perform("mv", "\(folder)/new", path)
        }
    }

    /// Kills the daemon, and returns when its bus name is free.
    package func killDaemon() throws {
        guard let processID = try keyring.presentDaemon()?.processID else { return }
        kill(processID, SIGKILL)
        try keyring.waitFor("the daemon to be gone") { try keyring.presentDaemon() == nil }
    }

    /// Runs a program as the user, and waits until it ends.
    package func run(_ command: [String]) throws -> ProcessResult {
        let words = asUser(command)
        return try keyring.run(words[0], Array(words.dropFirst()))
    }

    /// Starts a program as the user, and returns without waiting for it.
    package func start(_ command: [String], input: Int32? = nil, output: Int32? = nil) throws -> ChildProcess {
        let words = asUser(command)
        return try keyring.start(words[0], Array(words.dropFirst()), input: input, output: output)
    }

    /// Gives the user a file or a directory with all that it holds.
    package func own(_ path: String) throws {
        if Self.isRoot { try perform("chown", "-R", "\(Self.nobody):\(Self.nobody)", path) }
    }

    private func asUser(_ command: [String]) -> [String] {
        let user = ["--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups"]
        return Self.isRoot ? ["setpriv"] + user + command : command
    }

    private static let nobody: uid_t = 65534

    /// Runs a program as the user who runs the tests.
    private func perform(_ command: String...) throws {
        let result = try keyring.run(command[0], Array(command.dropFirst()))
        guard result.status == 0 else { throw PrivateKeyringError("\(command): \(result.standardError)") }
    }

    private func startUsersBus(admitsOthers: Bool) throws {
        let directory = keyring.directory
        let socket = "\(directory)/runtime/bus"
        let configuration = PrivateKeyring.busConfiguration(
            socket: socket,
            services: "\(directory)/services",
            admitsOthers: admitsOthers
        )
        try Files.write(configuration, to: "\(directory)/bus.conf")
        // The keyring's address leads to this bus too.
        try perform("ln", "-sf", socket, "\(directory)/bus")
        try own(directory)
        let ready = try SocketPair()
        defer { close(ready.ours) }
        let arguments = ["--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"]
        _ = try start(["dbus-daemon"] + arguments, output: ready.theirs)
        close(ready.theirs)
        // The bus prints its address once it listens.
        var byte: UInt8 = 0
        guard unsafe read(ready.ours, &byte, 1) == 1 else { throw PrivateKeyringError("the user's bus did not start") }
    }
}
