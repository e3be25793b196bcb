internal import Synchronization

/// A weak reference to the `Auth` that users are created for.
final class WeakAuth: Sendable {
    private struct Reference {
        weak var auth: Auth?
    }

    private let reference = Mutex(Reference())

    var auth: Auth? {
        get { reference.withLock { $0.auth } }
        set { reference.withLock { $0.auth = newValue } }
    }
}
