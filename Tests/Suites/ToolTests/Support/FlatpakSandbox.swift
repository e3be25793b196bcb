import Foundation
import Glibc
import TestSupport

/// A sandbox like Flatpak's: bubblewrap with new namespaces and `/.flatpak-info`, and a filtering proxy for the bus.
final class FlatpakSandbox: Sendable {
    private let keyring: PrivateKeyring
    private let proxy: ChildProcess
    private let name: String
    private let lifeline: Int32

    /// Starts the proxy with its rules, such as `--talk=org.freedesktop.secrets`.
    init(_ appID: String, rules: [String], around keyring: PrivateKeyring) throws {
        self.keyring = keyring
        name = "\(keyring.directory)/sandbox-\(UUID().uuidString)"
        try Data("[Application]\nname=\(appID)\nruntime=runtime/org.example.Platform/x86_64/1\n".utf8)
            .write(to: URL(filePath: "\(name).info"))
        let ends = try SocketPair()
        lifeline = ends.ours
        proxy = try keyring.start(
            "xdg-dbus-proxy",
            ["--fd=1", keyring.busAddress, "\(name).bus", "--filter"] + rules,
            output: ends.theirs
        )
        close(ends.theirs)
        // The proxy writes a byte once it listens, and ends if this end is closed.
        var waiting = [pollfd(fd: ends.ours, events: Int16(POLLIN), revents: 0)]
        var byte: UInt8 = 0
        guard unsafe poll(&waiting, 1, 10_000) == 1, unsafe read(ends.ours, &byte, 1) == 1 else {
            throw NothingToRead()
        }
    }

    deinit {
        proxy.end()
        close(lifeline)
    }

    /// Runs the tool in the sandbox.
    func callAsFunction(_ arguments: String...) throws -> ProcessResult {
        let tool = try BuiltProducts.executable("sharedauth")
        return try keyring.run("bwrap", namespaces + roots(with: tool) + ["--", tool] + arguments)
    }

    private var namespaces: [String] {
        ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"]
    }

    /// Returns the options for a new root with the system's directories.
    private func roots(with tool: String) -> [String] {
        let system = ["/usr", "/etc", "/opt", "/bin", "/lib", "/lib64", "/sbin"].flatMap { path in
            ["--ro-bind-try", path, path]
        }
        let products = URL(filePath: tool).deletingLastPathComponent().path
        return system + ["--tmpfs", "/tmp", "--ro-bind", products, products]
            + ["--bind", keyring.directory, keyring.directory]
            + ["--ro-bind", "\(name).info", "/.flatpak-info"]
            + ["--setenv", "DBUS_SESSION_BUS_ADDRESS", "unix:path=\(name).bus"]
    }
}
