import Synchronization
import TestSupport
import Testing

/// The daemons of the tests. Tests that do not disturb a daemon share one of each kind.
enum Daemons {
    private static let started = Mutex<[DaemonKind: PrivateKeyring]>([:])

    /// Returns the shared daemon of this kind, running and unlocked. Cancels the test case if it is not installed.
    static func shared(_ kind: DaemonKind) throws -> PrivateKeyring {
        try requireInstalled(kind)
        return try started.withLock { started in
            if let keyring = started[kind] { return keyring }
            let keyring = try PrivateKeyring(kind)
            started[kind] = keyring
            return keyring
        }
    }

    /// Returns a new daemon, which a test may lock and kill. Cancels the test case if it is not installed.
    static func own(_ kind: DaemonKind, state: PrivateKeyring.State = .unlocked) throws -> PrivateKeyring {
        try requireInstalled(kind)
        return try PrivateKeyring(kind, state: state)
    }

    /// Cancels the test case if this kind is not installed, and prints a line that `Tests/Scripts/cases` reads.
    private static func requireInstalled(_ kind: DaemonKind) throws {
        guard let program = kind.missingProgram else { return }
        let title = Test.current?.displayName ?? Test.current?.name ?? ""
        print("Test \"\(title)\" is not run on \(kind.rawValue): \(program) is not installed.")
        try Test.cancel("\(program) is not installed")
    }
}

extension DaemonKind: CustomTestStringConvertible {
    /// The display name of the kind.
    public var testDescription: String { rawValue }
}

/// The suites on real daemons. They run one test at a time because they share the daemons.
@Suite(.serialized)
enum OnEveryDaemon {}
