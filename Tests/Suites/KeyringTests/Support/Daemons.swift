import Synchronization
import TestSupport
import Testing

/// The daemons that tests share which do not disturb them, one of each kind.
enum Daemons {
    private static let started = Mutex<[DaemonKind: PrivateKeyring]>([:])

    /// A daemon of this kind, running and unlocked; calls the test case off where it is not installed.
    static func shared(_ kind: DaemonKind) throws -> PrivateKeyring {
        try requireInstalled(kind)
        return try started.withLock { started in
            if let keyring = started[kind] { return keyring }
            let keyring = try PrivateKeyring(kind)
            started[kind] = keyring
            return keyring
        }
    }

    /// A daemon that a test may lock and kill.
    static func own(_ kind: DaemonKind, state: PrivateKeyring.State = .unlocked) throws -> PrivateKeyring {
        try requireInstalled(kind)
        return try PrivateKeyring(kind, state: state)
    }

    /// Never passes silently what cannot be tested: `Tests/Scripts/cases` reads this line.
    private static func requireInstalled(_ kind: DaemonKind) throws {
        guard let program = kind.missingProgram else { return }
        let title = Test.current?.displayName ?? Test.current?.name ?? ""
        print("Test \"\(title)\" is not run on \(kind.rawValue): \(program) is not installed.")
        try Test.cancel("\(program) is not installed")
    }
}

extension DaemonKind: CustomTestStringConvertible {
    /// What people call it.
    public var testDescription: String { rawValue }
}

/// The suites on real daemons: one test at a time, as each daemon is one for all of them.
@Suite(.serialized)
enum OnEveryDaemon {}
