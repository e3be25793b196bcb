internal import Synchronization

/// An event that a store reports to the watches on a key.
public enum RecordEvent: Sendable, Hashable {
    /// The record may have changed. Read it again.
    case changed
    /// The store was locked or unlocked. Read the record again.
    case lockChanged
    /// The daemon that keeps the records went away.
    case storeVanished
    /// A daemon that keeps the records appeared, perhaps another one. Read the record again.
    case storeAppeared
    /// The watch has ended because the store's connection was closed. Begin a new watch to receive further events.
    case closed
}

/// A watch on a key. It ends when it is cancelled or released.
public protocol RecordWatch: AnyObject, Sendable {
    /// Ends the watch.
    func cancel()
}

/// A watch on one key, held weakly in a ``KeyWatches`` list.
package final class KeyWatch: RecordWatch {
    /// Stored in a struct to avoid a reabstraction thunk on each access through the generic `Mutex`.
    private struct Handler {
        let handle: @Sendable (RecordEvent) -> Void
    }

    package let key: RecordKey
    private let underlying: [any RecordWatch]
    private let handler: Mutex<Handler?>

    /// Creates a watch that retains the underlying watches, and cancels them when it is cancelled.
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

/// Weak references to watches on keys.
package struct KeyWatches: Sendable {
    private struct WeakWatch {
        weak var watch: KeyWatch?
    }

    private var watches: [WeakWatch] = []

    package init() {}

    /// The watches that still exist.
    package var living: [KeyWatch] { watches.compactMap(\.watch) }

    /// Adds a watch, and removes references to released watches.
    package mutating func add(_ watch: KeyWatch) {
        watches.removeAll { $0.watch == nil }
        watches.append(WeakWatch(watch: watch))
    }
}

/// Distributes the events of one underlying watch on a store, the source, to watches on keys.
///
/// The first watch begins the source. If the source has ended or could not begin, the next watch begins another one.
package final class WatchHub<Source: Sendable>: Sendable {
    private struct State {
        var source: Source?
        /// The number of the current source.
        var number: UInt64?
        var lastNumber: UInt64 = 0
        /// The numbers of sources that ended before they were stored here.
        var ended: Set<UInt64> = []
        var watches = KeyWatches()
    }

    private let state = Mutex(State())

    package init() {}

    /// Sends an event to the watches whose keys satisfy the predicate.
    package func tell(_ event: RecordEvent, where isMeant: (RecordKey) -> Bool = { _ in true }) {
        let watches = state.withLock { $0.watches.living }
        for watch in watches where isMeant(watch.key) { watch.tell(event) }
    }

    /// Returns whether the source of this number is in use.
    package func isInUse(_ number: UInt64) -> Bool { state.withLock { $0.number == number } }

    /// Watches a key.
    ///
    /// - Parameter begin: Begins a source of this number; called if there is none. ``end(_:)`` reports its end.
    /// - Returns: The watch, and the number of the source if this call began it.
    package func watch<Failure>(
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
        let source: Source
        do throws(Failure) {
            source = try begin(number)
        } catch {
            state.withLock { state in _ = state.ended.remove(number) }
            throw error
        }
        let isKept = state.withLock { state in
            // If two calls began a source at the same time, one is kept. A source that has ended has already notified
            // the watches.
            guard state.ended.remove(number) == nil, state.source == nil else { return false }
            state.source = source
            state.number = number
            return true
        }
        return (watch, isKept ? number : nil)
    }

    /// Records that the source of this number has ended.
    package func end(_ number: UInt64) {
        // The source must not be deinitialized while the lock is held.
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
