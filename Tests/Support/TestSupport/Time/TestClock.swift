package import FoundationEssentials
internal import Synchronization

/// A clock that goes when the test says so.
package final class TestClock: Sendable {
    private let time: Mutex<Date>

    package init(_ start: Date = Date()) { time = Mutex(start) }

    /// The time, which the test may set.
    package var now: Date {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Lets time pass.
    package func pass(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
