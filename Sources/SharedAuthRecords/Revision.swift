internal import FoundationEssentials
internal import Synchronization

/// Names one write of one record: a counter and a random nonce, compared together.
///
/// The nonce keeps a revision from ever coming back, even after the record was deleted and made again.
public struct Revision: Sendable, Hashable, Codable {
    /// Begins with the milliseconds since 1970 when the record is made, and grows by one with each write: of two copies of a
    /// record, the one with the higher counter was written later, even if the record was deleted in between.
    public let counter: UInt64
    /// Random.
    public let nonce: UInt64

    /// Makes a revision of its parts.
    public init(counter: UInt64, nonce: UInt64) {
        self.counter = counter
        self.nonce = nonce
    }

    /// The counters that a record can have; one that is higher was never written, and is damage.
    static let counters: ClosedRange<UInt64> = 0...UInt64(Int64.max)

    /// Whether one of the library's stores can have written this revision.
    var isPlausible: Bool { Self.counters.contains(counter) }

    /// Whether this write came after another write of the same record. Of two with one counter, every process takes the
    /// same.
    func isLater(than other: Revision) -> Bool {
        (counter, nonce) > (other.counter, other.nonce)
    }
}

/// What a store makes new revisions of: the time and random numbers.
struct RevisionSource: Sendable {
    let now: @Sendable () -> Date
    let random: @Sendable () -> UInt64
    private let last = LastNumber()

    init(now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.random = random
    }

    /// The highest number that was given out.
    private final class LastNumber: Sendable {
        let value = Mutex<UInt64>(0)
    }

    /// A number made of the time, or the next one after the last that was given out: a clock that is corrected a little must
    /// not change an order.
    func ascending(_ number: UInt64) -> UInt64 {
        last.value.withLock { last in
            last = max(number, last &+ 1)
            return last
        }
    }

    /// The system's clock and random numbers.
    static let live = RevisionSource(now: { Date() }, random: { .random(in: .min ... .max) })

    /// The milliseconds since 1970; 0 before that.
    var milliseconds: UInt64 { microseconds / 1000 }

    /// The microseconds since 1970; 0 before that.
    var microseconds: UInt64 {
        UInt64(exactly: (now().timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
    }

    /// The revision of the write that follows `previous`, or of the first one if that is nil.
    func revision(after previous: Revision?) -> Revision {
        let counter = previous.map { $0.counter + 1 } ?? max(1, milliseconds)
        return Revision(counter: min(counter, Revision.counters.upperBound), nonce: random())
    }
}
