internal import SecretService
internal import Synchronization

/// Remembers where records are, so that they need not be searched for.
final class Places: Sendable {
    private struct State {
        var items: [RecordKey: SecretItem] = [:]
        var lockedItems: [RecordKey: [SecretItem]] = [:]
        var collection: SecretCollection?
        var areChangedInPlace = false
    }

    private let state = Mutex(State())

    /// The item that held the record last.
    subscript(key: RecordKey) -> SecretItem? {
        get { state.withLock { $0.items[key] } }
        set { state.withLock { $0.items[key] = newValue } }
    }

    /// The items that may hold a record, if it was found locked.
    var lockedItems: [RecordKey: [SecretItem]] {
        get { state.withLock { $0.lockedItems } }
        set { state.withLock { $0.lockedItems = newValue } }
    }

    /// The default collection.
    var collection: SecretCollection? {
        get { state.withLock { $0.collection } }
        set { state.withLock { $0.collection = newValue } }
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
