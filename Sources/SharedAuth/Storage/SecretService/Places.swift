internal import SecretService
internal import Synchronization

/// Remembers where records are, so that they need not be searched for.
final class Places: Sendable {
    private struct State {
        var items: [RecordKey: SecretItem] = [:]
        var lockedItems: [RecordKey: [SecretItem]] = [:]
        var collections: [String?: SecretCollection] = [:]
        var lockedCollections: Set<SecretCollection> = []
        var areChangedInPlace = false
    }

    private let state = Mutex(State())

    /// The item that held the record last.
    subscript(key: RecordKey) -> SecretItem? {
        get { state.withLock { $0.items[key] } }
        set { state.withLock { $0.items[key] = newValue } }
    }

    /// The collection of a label; of nil, the default one.
    subscript(collection label: String?) -> SecretCollection? {
        get { state.withLock { $0.collections[label] } }
        set { state.withLock { $0.collections[label] = newValue } }
    }

    /// The items that may hold a record, if it was found locked.
    var lockedItems: [RecordKey: [SecretItem]] {
        get { state.withLock { $0.lockedItems } }
        set { state.withLock { $0.lockedItems = newValue } }
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
