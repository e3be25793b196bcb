import TestSupport

/// The calls that go over a keyring's bus.
final class BusCalls {
    private let monitor: RunningProgram

    init(of keyring: PrivateKeyring) throws {
        monitor = try RunningProgram(
            path: "dbus-monitor",
            ["--address", keyring.busAddress, "type=method_call,destination=org.freedesktop.secrets"],
            in: keyring
        )
        // It listens once it has said what happened to its own name.
        while try !monitor.line().contains("NameLost") {}
    }

    /// Waits for a call whose line has this text.
    func await(_ text: String) throws {
        while try !monitor.line().contains(text) {}
    }
}
