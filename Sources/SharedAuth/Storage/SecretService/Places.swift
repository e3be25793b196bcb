internal import SecretService
internal import Synchronization

/// Remembers where records are, so that they need not be searched for.
final class Places: Sendable {
    private struct State {
        var items: [RecordKey: Item] = [:]
        var collection: Collection?
    }

    private let state = Mutex(State())

    /// The item that held the record last.
    subscript(key: RecordKey) -> Item? {
        get { state.withLock { $0.items[key] } }
        set { state.withLock { $0.items[key] = newValue } }
    }

    /// The default collection.
    var collection: Collection? {
        get { state.withLock { $0.collection } }
        set { state.withLock { $0.collection = newValue } }
    }

    /// Forgets everything.
    func forgetAll() {
        state.withLock { $0 = State() }
    }
}
