internal import Dispatch
internal import Glibc

/// dbus-broker as the bus, without systemd: it starts no services.
extension PrivateKeyring {
    func startDBusBroker(log: Int32) throws -> ChildProcess {
        _ = try Self.journal.get()
        let path = "\(directory)/bus"
        _ = unsafe unlink(path)
        // From now on connections wait for the bus, so callers need not wait.
        let listening = try LocalSocket.listening(at: path)
        defer { close(listening.file) }
        // The socket is passed as systemd passes it, with the id of the process that takes it.
        let launcher = ["dbus-broker-launch", "--scope", "user", "--config-file", "\(directory)/bus.conf"]
        return try ChildProcess(
            ["/bin/sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh"] + DebianRoots.command(launcher),
            environment: environment.merging(["LISTEN_FDS": "1"]) { $1 },
            group: guardian.group,
            streams: .init(error: log, others: [listening.file])
        )
    }

    /// The journal, without which the launcher exits. Its messages are read and dropped.
    private static let journal = Result {
        let path = "\(DebianRoots.prefix(of: "dbus-broker-launch"))/run/systemd/journal/socket"
        guard unsafe access(path, F_OK) != 0 else { return }
        var folder = ""
        for name in path.split(separator: "/").dropLast() {
            folder += "/\(name)"
            _ = unsafe mkdir(folder, 0o755)
        }
        let journal = try LocalSocket.receivingDatagrams(at: path)
        DispatchQueue(label: "journal").async {
            while journal.read(1) != nil {}
        }
    }
}
