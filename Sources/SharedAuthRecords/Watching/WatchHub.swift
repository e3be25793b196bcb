internal import Synchronization

/// Turns one watch on a store's place, the source, into watches on keys.
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

    /// The watches that somebody still keeps.
    var watches: [KeyWatch] { state.withLock { $0.watches.living } }

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
            // Where two have begun at once, one is enough. One that has ended meanwhile has told its watches so.
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
