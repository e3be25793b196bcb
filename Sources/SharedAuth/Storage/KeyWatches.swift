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
