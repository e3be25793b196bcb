internal import SecretService
internal import Synchronization

/// Remembers where records are, so that they need not be searched for.
final class Places: Sendable {
    private struct State {
        var items: [RecordKey: SecretItem] = [:]
        var lockedItems: [RecordKey: [SecretItem]] = [:]
        var defaultCollection: SecretCollection?
        var collections: [String: SecretCollection] = [:]
        var lockedCollections: Set<SecretCollection> = []
        var areChangedInPlace = false
    }

    private let state = Mutex(State())

    /// The item that held the record last.
    subscript(key: RecordKey) -> SecretItem? {
        get { state.withLock { $0.items[key] } }
        set { state.withLock { $0.items[key] = newValue } }
    }

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

    /// Whether records are changed where they are, not replaced in one step: KeePassXC, which reports such a change to those
    /// who watch, asks the person before one program replaces what another has made.
    var areChangedInPlace: Bool {
        get { state.withLock { $0.areChangedInPlace } }
        set { state.withLock { $0.areChangedInPlace = newValue } }
    }

    /// Forgets everything.
    func forgetAll() {
        state.withLock { $0 = State() }
    }
}
