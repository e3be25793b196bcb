package import FoundationEssentials
internal import Synchronization

/// A clock that the test advances.
package final class TestClock: Sendable {
    private let time: Mutex<Date>

    package init(_ start: Date = Date()) { time = Mutex(start) }

    /// The time; the test may set it.
    package var now: Date {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Advances the clock.
    package func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
