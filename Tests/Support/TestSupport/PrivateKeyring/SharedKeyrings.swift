internal import Synchronization

/// Unlocked keyrings that the tests of a process share, some tests each: a daemon writes all of its items at every change, so a keyring
/// for all tests gets slower with each of them.
package final class SharedKeyrings: Sendable {
    private struct State {
        /// The keyrings that were started; they end with the process.
        var all: [PrivateKeyring] = []
        /// How many tests have the last one.
        var tests = 0
    }

    private static let testsForEach = 50
    private let state = Mutex(State())

    package init() {}

    /// A keyring, for one test.
    package func get() throws -> PrivateKeyring {
        try state.withLock { state in
            if let last = state.all.last, state.tests < Self.testsForEach {
                state.tests += 1
                return last
            }
            let keyring = try PrivateKeyring()
            state.all.append(keyring)
            state.tests = 1
            return keyring
        }
    }
}
