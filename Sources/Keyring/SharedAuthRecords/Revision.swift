package import FoundationEssentials
internal import Synchronization

/// Identifies one write of one record: a counter and a random nonce, compared together.
///
/// The nonce ensures that a revision never repeats, even after the record is deleted and created again.
public struct Revision: Sendable, Hashable, Codable {
    /// The counter starts at the milliseconds since 1970 when the record is created, and increases by one with each
    /// write. Of two copies of a record, the one with the higher counter was written later. If the record was deleted
    /// in between, that is true unless the clock was set back and another process wrote the record anew.
    public let counter: UInt64
    /// A random number.
    public let nonce: UInt64

    /// Creates a revision from its parts.
    public init(counter: UInt64, nonce: UInt64) {
        self.counter = counter
        self.nonce = nonce
    }

    /// The valid range of counters. A record with a higher counter is damaged.
    package static let counters: ClosedRange<UInt64> = 0...UInt64(Int64.max)

    /// Indicates whether one of the library's stores can have written this revision.
    package var isPlausible: Bool { Self.counters.contains(counter) }

    /// Returns whether this write is later than another write of the same record. If both have the same counter, the
    /// nonce decides, so every process chooses the same revision.
    package func isLater(than other: Revision) -> Bool {
        (counter, nonce) > (other.counter, other.nonce)
    }
}

/// Creates revisions from the time and random numbers.
package struct RevisionSource: Sendable {
    package let now: @Sendable () -> Date
    package let random: @Sendable () -> UInt64
    private let last = LastNumber()
    private let lastDeleted = LastNumber()

    init(now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.random = random
    }

    /// A number that only grows.
    private final class LastNumber: Sendable {
        let value = Mutex<UInt64>(0)
    }

    /// Returns `number`, or the successor of the last returned number if that is higher, so that a small clock
    /// correction does not change the order.
    package func ascending(_ number: UInt64) -> UInt64 {
        last.value.withLock { last in
            last = max(number, last &+ 1)
            return last
        }
    }

    /// The system's clock and random numbers.
    package static let live = RevisionSource(now: { Date() }, random: { .random(in: .min ... .max) })

    /// The milliseconds since 1970; 0 for earlier dates.
    package var milliseconds: UInt64 { microseconds / 1000 }

    /// The microseconds since 1970; 0 for earlier dates.
    package var microseconds: UInt64 {
        UInt64(exactly: (now().timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
    }

    /// Notes that a record was deleted, so that the first write of its successor is later whatever the clock says.
    package func noteDeleted(_ revision: Revision?) {
        guard let revision else { return }
        lastDeleted.value.withLock { $0 = max($0, revision.counter) }
    }

    /// Returns the revision of the write that follows `previous`, or of the first write if that is nil.
    package func revision(after previous: Revision?) -> Revision {
        let counter = previous.map { $0.counter + 1 } ?? max(milliseconds, lastDeleted.value.withLock { $0 } + 1)
        return Revision(counter: min(counter, Revision.counters.upperBound), nonce: random())
    }
}
