import Glibc
import SecretService
import TestSupport

/// The scripted daemon on a private bus. The bus either starts no daemon, or starts this one on the first call, as a
/// desktop's bus does.
final class ScriptedDaemon: Sendable {
    let keyring: PrivateKeyring
    private let address: String
    private let commands: Int32

    /// Starts the daemon with these words, which the daemon's source explains.
    init(_ words: String...) throws {
        keyring = try PrivateKeyring(state: .noDaemon)
        address = keyring.busAddress
        let ends = try SocketPair()
        commands = ends.ours
        try keyring.untilDaemonAppears {
            _ = try keyring.start(
                try BuiltProducts.executable("TestDaemon"),
                ["scripted-daemon"] + words,
                input: ends.theirs,
                output: ends.theirs
            )
        }
        close(ends.theirs)
    }

    /// Starts another bus that starts the daemon with these words on each call when it is not running.
    init(startedWith words: String...) throws {
        keyring = try PrivateKeyring(state: .noDaemon)
        let directory = keyring.directory
        address = "unix:path=\(directory)/starting-bus"
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              <servicedir>\(directory)</servicedir>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """
        let command = try [BuiltProducts.executable("TestDaemon"), "scripted-daemon"] + words
        let service = """
            [D-BUS Service]
            Name=org.freedesktop.secrets
            Exec=\(command.joined(separator: " ").replacing("DIRECTORY", with: directory))

            """
        try Self.write(configuration, to: "\(directory)/starting-bus.conf")
        try Self.write(service, to: "\(directory)/org.freedesktop.secrets.service")
        let ready = try SocketPair()
        commands = ready.ours
        _ = try keyring.start(
            "dbus-daemon",
            ["--config-file=\(directory)/starting-bus.conf", "--nofork", "--nopidfile", "--print-address=1"],
            output: ready.theirs
        )
        close(ready.theirs)
        try readLine()
    }

    deinit {
        close(commands)
    }

    /// Returns a service with a new connection.
    func makeService(
        timeout: Duration = .seconds(10),
        waitsForDaemon: Bool = false,
        calls: Recorder<String>? = nil
    ) -> SecretService {
        var configuration = SecretService.Configuration(
            busAddress: .address(address),
            timeout: timeout,
            waitsForDaemon: waitsForDaemon
        )
        configuration.interceptor = calls.map(CallInterceptor.recording)
        return SecretService(configuration)
    }

    /// Changes the daemon's behavior, and returns when the change has taken effect.
    func tell(_ word: String) throws {
        let line = Array("\(word)\n".utf8)
        _ = unsafe line.withUnsafeBytes { bytes in unsafe Glibc.write(commands, bytes.baseAddress, bytes.count) }
        try readLine()
    }

    private func readLine() throws {
        var byte: UInt8 = 0
        while byte != 10 {
            guard unsafe read(commands, &byte, 1) == 1 else { throw Gone() }
        }
    }

    private static func write(_ text: String, to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw Gone() }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else { throw Gone() }
    }

    struct Gone: Error {}
}

extension PrivateKeyring {
    /// Calls `start`, and returns when a daemon owns the name.
    func untilDaemonAppears(_ start: () throws -> Void) throws {
        let appeared = Recorder<Void>()
        let watch = try makeService().watch { change in
            if case .daemonAppeared = change { appeared.record(()) }
        }
        defer { watch.cancel() }
        try start()
        guard appeared.first(where: { true }) != nil else { throw ScriptedDaemon.Gone() }
    }
}
