package import FoundationEssentials
internal import Synchronization

/// A clock that goes on when the test says so.
package final class TestClock: Sendable {
    private let time = Mutex(Date())

    package init() {}

    package var now: Date { time.withLock { $0 } }

    /// Lets time pass.
    package func pass(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
