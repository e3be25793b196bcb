import Glibc
import TestSupport

/// A running program and the lines it prints.
final class RunningProgram: Sendable {
    let process: ChildProcess
    private let output: Int32

    /// Starts a program that is built with the tests, in a keyring.
    convenience init(_ executable: String, _ arguments: [String], in keyring: PrivateKeyring) throws {
        try self.init(path: try BuiltProducts.executable(executable), arguments, in: keyring)
    }

    /// Starts any program in a keyring.
    init(path: String, _ arguments: [String], in keyring: PrivateKeyring) throws {
        let ends = try SocketPair()
        output = ends.ours
        defer { close(ends.theirs) }
        process = try keyring.start(path, arguments, output: ends.theirs)
    }

    /// Starts the tool with its errors among the lines, in the order in which they are written.
    convenience init(
        mergingErrors arguments: [String],
        environment: [String] = [],
        in keyring: PrivateKeyring
    ) throws {
        let program = try BuiltProducts.executable("sharedauth")
        let script = #"exec "$@" 2>&1"#
        let call = ["-c", script, "sh", "/usr/bin/env"] + environment + [program] + arguments
        try self.init(path: "/bin/sh", call, in: keyring)
    }

    deinit {
        process.end()
        close(output)
    }

    /// Returns the next line without its newline. Throws if no line arrives within four minutes.
    func line() throws -> String {
        var line: [UInt8] = []
        while true {
            var waiting = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
            guard unsafe poll(&waiting, 1, 240_000) == 1 else { throw NothingToRead() }
            var byte: UInt8 = 0
            guard unsafe read(output, &byte, 1) == 1 else { throw NothingToRead() }
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}

/// The error if no line arrived in time, or the program ended.
struct NothingToRead: Error {}

/// The calls to the Secret Service on a keyring's bus.
final class BusCalls {
    private let monitor: RunningProgram

    init(of keyring: PrivateKeyring) throws {
        monitor = try RunningProgram(
            path: "dbus-monitor",
            ["--address", keyring.busAddress, "type=method_call,destination=org.freedesktop.secrets"],
            in: keyring
        )
        // dbus-monitor listens once it has printed the NameLost signal for its connection.
        while try !monitor.line().contains("NameLost") {}
    }

    /// Waits for a call whose line has this text.
    func await(_ text: String) throws {
        while try !monitor.line().contains(text) {}
    }
}
