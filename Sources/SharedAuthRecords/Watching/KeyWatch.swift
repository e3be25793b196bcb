internal import Synchronization

/// A watch on one key of a store that keeps a list of its watches.
final class KeyWatch: RecordWatch {
    /// A closure alone would be wrapped once more by each look through the lock, which goes through generic code.
    private struct Handler {
        let handle: @Sendable (RecordEvent) -> Void
    }

    let key: RecordKey
    private let handler: Mutex<Handler?>

    init(key: RecordKey, handler: @escaping @Sendable (RecordEvent) -> Void) {
        self.key = key
        self.handler = Mutex(Handler(handle: handler))
    }

    func tell(_ event: RecordEvent) {
        let handler = handler.withLock { $0 }
        handler?.handle(event)
    }

    func cancel() {
        handler.withLock { $0 = nil }
    }
}

/// The watches on a store's keys, each for as long as its owner keeps it.
struct KeyWatches {
    private struct WeakWatch {
        weak var watch: KeyWatch?
    }

    private var watches: [WeakWatch] = []

    /// Those that there still are.
    var living: [KeyWatch] { watches.compactMap(\.watch) }

    /// Adds one, and forgets those that are gone.
    mutating func add(_ watch: KeyWatch) {
        watches.removeAll { $0.watch == nil }
        watches.append(WeakWatch(watch: watch))
    }
}
