internal import SecretService
internal import Synchronization

/// Caches the locations of records and collections, so that most reads need no search.
final class ItemCache: Sendable {
    private struct State {
        var locations: [RecordKey: ItemLocation] = [:]
        /// The number of items whose creation was reported.
        var lastMade: UInt64 = 0
        var lockedItems: [RecordKey: [SecretItem]] = [:]
        var defaultCollection: SecretCollection?
        var collections: [String: SecretCollection] = [:]
        var lockedCollections: Set<SecretCollection> = []
        var marks: [SecretCollection: CollectionMark] = [:]
        var areChangedInPlace = false
        /// The records that are likely to exist.
        var expected: Set<RecordKey> = []
        /// The number of the watch that reports new items; nil if there is none.
        var watch: UInt64?
        /// Incremented when the cache is cleared.
        var generation = 0
    }

    /// A search in progress.
    struct Search {
        fileprivate let generation: Int
        fileprivate let watch: UInt64?
        fileprivate let start: ItemLocation.SearchStart
    }

    /// The collections of a daemon's run that are not unlocked without a prompt: those that this process has asked it to
    /// unlock, or has seen being locked.
    private struct Tries {
        var run: String?
        var collections: Set<SecretCollection> = []
    }

    private let state = Mutex(State())
    private let tries = Mutex(Tries())

    // MARK: Items

    /// The item to read without a search; nil if the next lookup must search.
    subscript(key: RecordKey) -> SecretItem? {
        state.withLock { $0.locations[key]?.knownItem }
    }

    /// Begins a search for all items of a record.
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

    /// Records the result of a search.
    ///
    /// - Parameter item: The item to read from now on; nil if the next lookup must search too.
    func end(_ search: Search, of key: RecordKey, found: [SecretItem], item: SecretItem?) {
        state.withLock { state in
            guard search.generation == state.generation else { return }
            state.locations[key, default: ItemLocation()]
                .endSearch(search.start, watch: search.watch, found: Set(found.map(\.path)), item: item)
        }
    }

    /// Records the item that a record was written to, or that is its only item.
    func remember(_ item: SecretItem, of key: RecordKey) {
        state.withLock { $0.locations[key, default: ItemLocation()].noteWritten(item) }
    }

    /// Records that a record is likely to exist.
    func expect(_ key: RecordKey) {
        state.withLock { state in _ = state.expected.insert(key) }
    }

    /// Returns whether a record is likely to exist, and removes this expectation.
    func takeExpectation(of key: RecordKey) -> Bool {
        state.withLock { state in state.expected.remove(key) != nil }
    }

    /// Forces the next lookup to search.
    func forget(_ key: RecordKey) {
        state.withLock { $0.locations[key]?.forget() }
    }

    /// Forces the next lookup to search, unless the present watch has existed since the last search began.
    func forgetUnlessWatched(_ key: RecordKey) {
        state.withLock { state in
            guard let location = state.locations[key], let watch = state.watch, location.watch == watch else {
                state.locations[key]?.forget()
                return
            }
        }
    }

    /// Records that an item was created or replaced; nil means that the item is unknown.
    func noteMade(_ path: String?) {
        state.withLock { state in
            // An item that holds the record of one key cannot be a duplicate of another.
            if let path, state.locations.values.contains(where: { $0.lastItem?.path == path }) { return }
            state.lastMade += 1
            for key in state.locations.keys { state.locations[key]?.noteMade(path, number: state.lastMade) }
        }
    }

    /// Records the number of the watch that has begun, or nil when it has ended.
    func noteWatch(_ watch: UInt64?) {
        state.withLock { $0.watch = watch }
    }

    // MARK: Collections

    /// The default collection.
    var defaultCollection: SecretCollection? {
        get { state.withLock { $0.defaultCollection } }
        set { state.withLock { $0.defaultCollection = newValue } }
    }

    /// The collection with a label.
    subscript(collection label: String) -> SecretCollection? {
        get { state.withLock { $0.collections[label] } }
        set { state.withLock { $0.collections[label] = newValue } }
    }

    /// Removes a collection that is gone or may be gone.
    func forget(_ collection: SecretCollection) {
        state.withLock { state in
            if state.defaultCollection == collection { state.defaultCollection = nil }
            state.collections = state.collections.filter { $0.value != collection }
        }
    }

    /// The mark of a collection; nil if it is unknown.
    func mark(of collection: SecretCollection) -> CollectionMark? { state.withLock { $0.marks[collection] } }

    func note(_ mark: CollectionMark, of collection: SecretCollection) {
        state.withLock { $0.marks[collection] = mark }
    }

    // MARK: Locks

    /// The items that were found locked and may hold a record.
    var lockedItems: [SecretItem] { state.withLock { $0.lockedItems.values.flatMap(\.self) } }

    /// Records the locked items that may hold a record; empty if it can be read.
    func noteLocked(_ items: [SecretItem], of key: RecordKey) {
        state.withLock { state in
            if !items.isEmpty || !state.lockedItems.isEmpty { state.lockedItems[key] = items }
        }
    }

    /// The collections that were found locked.
    var lockedCollections: Set<SecretCollection> { state.withLock { $0.lockedCollections } }

    /// Records that a collection was locked: the user does not want it to be open.
    func noteLocking(_ collection: SecretCollection, inRun run: String?) {
        _ = takeUntried([collection], inRun: run)
    }

    /// Returns those of the locked collections that this process has neither asked this run of the daemon to unlock
    /// without a prompt, nor seen being locked.
    func takeUntried(_ collections: Set<SecretCollection>, inRun run: String?) -> Set<SecretCollection> {
        tries.withLock { tries in
            if tries.run != run { tries = Tries(run: run) }
            let untried = collections.subtracting(tries.collections)
            tries.collections.formUnion(untried)
            return untried
        }
    }

    func noteLocked(_ collection: SecretCollection) {
        state.withLock { state in _ = state.lockedCollections.insert(collection) }
    }

    /// Removes the items and collections that were found locked.
    func forgetLocked() {
        state.withLock { state in
            state.lockedItems = [:]
            state.lockedCollections = []
        }
    }

    // MARK: All

    /// Indicates whether records are changed in place instead of replaced. KeePassXC reports such changes to watches,
    /// and prompts the user before one program replaces an item of another.
    var areChangedInPlace: Bool {
        get { state.withLock { $0.areChangedInPlace } }
        set { state.withLock { $0.areChangedInPlace = newValue } }
    }

    /// Clears the cache except for the watch.
    func forgetAll() {
        state.withLock { $0 = State(watch: $0.watch, generation: $0.generation + 1) }
    }
}
