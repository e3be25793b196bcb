internal import SecretService
internal import Synchronization

/// Remembers where records are, so that they need not be searched for.
final class Places: Sendable {
    private struct State {
        var items: [RecordKey: SecretItem] = [:]
        var collection: SecretCollection?
    }

    private let state = Mutex(State())

    /// The item that held the record last.
    subscript(key: RecordKey) -> SecretItem? {
        get { state.withLock { $0.items[key] } }
        set { state.withLock { $0.items[key] = newValue } }
    }

    /// The default collection.
    var collection: SecretCollection? {
        get { state.withLock { $0.collection } }
        set { state.withLock { $0.collection = newValue } }
    }

    /// Forgets everything.
    func forgetAll() {
        state.withLock { $0 = State() }
    }
}
