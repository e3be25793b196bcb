internal import Synchronization

/// An event that a store reports to the watches on a key.
///
/// The set may grow: a `switch` over it needs an `@unknown default`.
public enum RecordEvent: Sendable, Hashable {
    /// The record may have changed: read it again.
    case changed
    /// The store was locked or unlocked: read again.
    case lockChanged
    /// The program that keeps the records went away.
    case storeVanished
    /// A program that keeps the records is there, perhaps another one: read again.
    case storeAppeared
    /// The watch is over, because the store's connection is; watch again to go on.
    case closed
}

/// A watch on a key, which ends when it is cancelled or released.
public protocol RecordWatch: AnyObject, Sendable {
    /// Ends the watch.
    func cancel()
}

/// A watch on one key, of whoever keeps a list of such watches.
package final class KeyWatch: RecordWatch {
    /// A closure by itself would be wrapped once more each time it is read through the lock, which is generic code.
    private struct Handler {
        let handle: @Sendable (RecordEvent) -> Void
    }

    let key: RecordKey
    private let underlying: [any RecordWatch]
    private let handler: Mutex<Handler?>

    /// Makes a watch, which keeps the ones that it stands on, and ends with them.
    package init(
        key: RecordKey,
        on underlying: [any RecordWatch] = [],
        handler: @escaping @Sendable (RecordEvent) -> Void
    ) {
        self.key = key
        self.underlying = underlying
        self.handler = Mutex(Handler(handle: handler))
    }

    package func tell(_ event: RecordEvent) {
        let handler = handler.withLock { $0 }
        handler?.handle(event)
    }

    package func cancel() {
        for watch in underlying { watch.cancel() }
        handler.withLock { $0 = nil }
    }
}

/// Watches on keys, each for as long as its owner keeps it.
package struct KeyWatches: Sendable {
    private struct WeakWatch {
        weak var watch: KeyWatch?
    }

    private var watches: [WeakWatch] = []

    package init() {}

    /// Those that there still are.
    package var living: [KeyWatch] { watches.compactMap(\.watch) }

    /// Adds one, and forgets those that are gone.
    package mutating func add(_ watch: KeyWatch) {
        watches.removeAll { $0.watch == nil }
        watches.append(WeakWatch(watch: watch))
    }
}

/// Turns one watch on the place where a store keeps its records, the source, into watches on keys.
///
/// The source begins with the first watch. When it has ended, or could not begin, the next watch begins another one.
final class WatchHub<Source: Sendable>: Sendable {
    private struct State {
        var source: Source?
        /// The number of the source.
        var number: UInt64?
        var lastNumber: UInt64 = 0
        /// The numbers of sources that ended before they were there.
        var ended: Set<UInt64> = []
        var watches = KeyWatches()
    }

    private let state = Mutex(State())

    /// Passes an event on to the watches on these keys.
    func tell(_ event: RecordEvent, where isMeant: (RecordKey) -> Bool = { _ in true }) {
        let watches = state.withLock { $0.watches.living }
        for watch in watches where isMeant(watch.key) { watch.tell(event) }
    }

    /// Whether the source of this number is in use.
    func isInUse(_ number: UInt64) -> Bool { state.withLock { $0.number == number } }

    /// Watches a key.
    ///
    /// - Parameter begin: makes a source of this number, if there is none; ``end(_:)`` says when it is over.
    /// - Returns: the watch, and the number of the source if this call has begun it.
    func watch<Failure>(
        _ key: RecordKey,
        _ handler: @escaping @Sendable (RecordEvent) -> Void,
        begin: (_ number: UInt64) throws(Failure) -> Source
    ) throws(Failure) -> (watch: KeyWatch, begun: UInt64?) {
        let watch = KeyWatch(key: key, handler: handler)
        let number: UInt64? = state.withLock { state in
            state.watches.add(watch)
            if state.source != nil { return nil }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return (watch, nil) }
        let source = try begin(number)
        let isKept = state.withLock { state in
            // Where two have begun at once, one is enough. One that has ended meanwhile has reported that to the watches.
            guard state.ended.remove(number) == nil, state.source == nil else { return false }
            state.source = source
            state.number = number
            return true
        }
        return (watch, isKept ? number : nil)
    }

    /// Notes that the source of this number is over.
    func end(_ number: UInt64) {
        // Its last reference may go only where the lock is not held.
        let former: Source? = state.withLock { state in
            guard state.number == number else {
                state.ended.insert(number)
                return nil
            }
            defer {
                state.source = nil
                state.number = nil
            }
            return state.source
        }
        withExtendedLifetime(former) {}
    }
}
