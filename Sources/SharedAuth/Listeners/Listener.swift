internal import Synchronization

/// One listener or sequence, and what it was told last.
final class Listener: Sendable {
    /// Which changes a listener is told of.
    enum Kind {
        /// Another uid than it was told last.
        case authState
        /// Another ID token.
        case idToken
    }

    /// How a listener is told.
    enum Delivery {
        case executor(@Sendable (User?) -> Void)
        case sequence(AsyncStream<User?>.Continuation)
    }

    private struct State {
        /// Nil before the first call; the uid told last afterwards.
        var lastUID: String??
        var isRetired = false
    }

    let kind: Kind
    let delivery: Delivery
    private let state = Mutex(State())

    init(_ kind: Kind, _ delivery: Delivery) {
        self.kind = kind
        self.delivery = delivery
    }

    var isRetired: Bool { state.withLock { $0.isRetired } }

    func retire() { state.withLock { $0.isRetired = true } }

    /// Whether the listener is to be told of this user now.
    func wants(_ user: User?) -> Bool {
        let uid = user?.uid
        return state.withLock { state in
            defer { state.lastUID = .some(uid) }
            return kind == .idToken || state.lastUID != .some(uid)
        }
    }
}
