internal import SecretService
internal import Synchronization

/// Remembers where records and collections are, so that not every read has to search for them.
final class ItemCache: Sendable {
    private struct State {
        var locations: [RecordKey: ItemLocation] = [:]
        /// Counts the items that were reported as made.
        var lastMade: UInt64 = 0
        var lockedItems: [RecordKey: [SecretItem]] = [:]
        var defaultCollection: SecretCollection?
        var collections: [String: SecretCollection] = [:]
        var lockedCollections: Set<SecretCollection> = []
        var areChangedInPlace = false
        /// The records that are likely to be there.
        var expected: Set<RecordKey> = []
        /// The watch that tells of new items; nil: there is none.
        var watch: UInt64?
        /// Grows whenever everything is forgotten.
        var generation = 0
    }

    /// A search that has begun.
    struct Search {
        fileprivate let generation: Int
        fileprivate let watch: UInt64?
        fileprivate let start: ItemLocation.SearchStart
    }

    private let state = Mutex(State())

    // MARK: Items

    /// The item that held the record last; nil if it has to be searched for.
    subscript(key: RecordKey) -> SecretItem? {
        state.withLock { $0.locations[key]?.knownItem }
    }

    /// Begins a search for everything in a record's place.
    func beginSearch(of key: RecordKey) -> Search {
        state.withLock { state in
            let location = state.locations[key, default: ItemLocation()]
            state.locations[key] = location
            return Search(
                generation: state.generation,
                watch: state.watch,
                start: location.beginSearch(after: state.lastMade)
            )
        }
    }

    /// Notes what a search has found.
    ///
    /// - Parameter item: the item to read from now on; nil if the next lookup has to search, too.
    func end(_ search: Search, of key: RecordKey, found: [SecretItem], item: SecretItem?) {
        state.withLock { state in
            guard search.generation == state.generation else { return }
            state.locations[key, default: ItemLocation()]
                .endSearch(search.start, watch: search.watch, found: Set(found.map(\.path)), item: item)
        }
    }

    /// Notes the item that a record was written to, or is alone in.
    func remember(_ item: SecretItem, of key: RecordKey) {
        state.withLock { $0.locations[key, default: ItemLocation()].noteWritten(item) }
    }

    /// Notes that a record is likely to be there.
    func expect(_ key: RecordKey) {
        state.withLock { state in _ = state.expected.insert(key) }
    }

    /// Whether a record is likely to be there; a second call says no.
    func takeExpectation(of key: RecordKey) -> Bool {
        state.withLock { state in state.expected.remove(key) != nil }
    }

    /// Makes the next lookup search.
    func forget(_ key: RecordKey) {
        state.withLock { $0.locations[key]?.forget() }
    }

    /// Makes the next lookup search, unless the same watch as now has been there since the last search began.
    func forgetUnlessWatched(_ key: RecordKey) {
        state.withLock { state in
            guard let location = state.locations[key], let watch = state.watch, location.watch == watch else {
                state.locations[key]?.forget()
                return
            }
        }
    }

    /// Notes that an item was made or replaced; nil: it is not known which.
    func noteMade(_ path: String?) {
        state.withLock { state in
            // The record of one key is not in the place of another.
            if let path, state.locations.values.contains(where: { $0.lastItem?.path == path }) { return }
            state.lastMade += 1
            for key in state.locations.keys { state.locations[key]?.noteMade(path, number: state.lastMade) }
        }
    }

    /// Notes that a watch has begun, of this number, or that there is none any more.
    func noteWatch(_ watch: UInt64?) {
        state.withLock { $0.watch = watch }
    }

    // MARK: Collections

    /// The default collection.
    var defaultCollection: SecretCollection? {
        get { state.withLock { $0.defaultCollection } }
        set { state.withLock { $0.defaultCollection = newValue } }
    }

    /// The collection of a label.
    subscript(collection label: String) -> SecretCollection? {
        get { state.withLock { $0.collections[label] } }
        set { state.withLock { $0.collections[label] = newValue } }
    }

    /// Forgets a collection that is gone, or may be.
    func forget(_ collection: SecretCollection) {
        state.withLock { state in
            if state.defaultCollection == collection { state.defaultCollection = nil }
            state.collections = state.collections.filter { $0.value != collection }
        }
    }

    // MARK: Locks

    /// The items that were found locked and may hold a record.
    var lockedItems: [SecretItem] { state.withLock { $0.lockedItems.values.flatMap(\.self) } }

    /// Notes the locked items that may hold a record; none if it can be read.
    func noteLocked(_ items: [SecretItem], of key: RecordKey) {
        state.withLock { state in
            if !items.isEmpty || !state.lockedItems.isEmpty { state.lockedItems[key] = items }
        }
    }

    /// The collections that were found locked.
    var lockedCollections: Set<SecretCollection> { state.withLock { $0.lockedCollections } }

    func noteLocked(_ collection: SecretCollection) {
        state.withLock { state in _ = state.lockedCollections.insert(collection) }
    }

    /// Forgets what was found locked.
    func forgetLocked() {
        state.withLock { state in
            state.lockedItems = [:]
            state.lockedCollections = []
        }
    }

    // MARK: All

    /// Whether records are changed where they are, not replaced in one step: KeePassXC, which reports such a change to
    /// those who watch, asks the person before one program replaces what another has made.
    var areChangedInPlace: Bool {
        get { state.withLock { $0.areChangedInPlace } }
        set { state.withLock { $0.areChangedInPlace = newValue } }
    }

    /// Forgets everything but the watch.
    func forgetAll() {
        state.withLock { $0 = State(watch: $0.watch, generation: $0.generation + 1) }
    }
}
