internal import Synchronization

/// One listener or sequence, and the user it was last called with.
final class Listener: Sendable {
    /// Which changes a listener hears.
    enum Kind {
        /// Another uid than in its last call.
        case authState
        /// Another ID token.
        case idToken
    }

    /// How a listener is called.
    enum Delivery {
        /// Through the app's listener executor.
        case executor(@Sendable (User?) -> Void)
        /// On the main actor.
        case mainActor(@MainActor (User?) -> Void)
        /// By an element of a stream.
        case sequence(AsyncStream<User?>.Continuation)
    }

    private struct State {
        /// Nil before the first call; the uid of the last call afterwards.
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

    deinit {
        if case .sequence(let continuation) = delivery { continuation.finish() }
    }

    var isRetired: Bool { state.withLock { $0.isRetired } }

    func retire() { state.withLock { $0.isRetired = true } }

    /// Whether the listener is to be called with this user now.
    func wants(_ user: User?) -> Bool {
        let uid = user?.uid
        return state.withLock { state in
            defer { state.lastUID = .some(uid) }
            return kind == .idToken || state.lastUID != .some(uid)
        }
    }
}
