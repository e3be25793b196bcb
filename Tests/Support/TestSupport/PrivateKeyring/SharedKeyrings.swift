internal import DesktopSupport
internal import SharedAuthRecords
internal import Synchronization

/// Unlocked keyrings, each shared by some of a process's tests. A daemon writes all of its items at every change, so
/// one keyring for all tests would get slower with each test.
package final class SharedKeyrings: Sendable {
    private struct State {
        /// The keyrings that were started; they end with the process.
        var all: [PrivateKeyring] = []
        /// The number of tests that use the last keyring.
        var tests = 0
    }

    private static let testsForEach = 50
    private let state = Mutex(State())

    package init() {}

    /// Returns a keyring for one test.
    package func get() throws -> PrivateKeyring {
        try state.withLock { state in
            if let last = state.all.last, state.tests < Self.testsForEach {
                state.tests += 1
                return last
            }
            let keyring = try PrivateKeyring()
            // The first record of a collection marks it, which a test that counts or fails writes would meet by chance.
            let key = RecordKey(scope: .project, project: "shared", instance: "default", kind: "none")
            _ = try keyring.makeStore().mark(for: key, by: .after(.seconds(20)))
            state.all.append(keyring)
            state.tests = 1
            return keyring
        }
    }
}
