internal import Dispatch
internal import Synchronization

/// Calls listeners and sequences for each change of the current user, in order, with the value of that change.
///
/// Only the moment of delivery belongs to the app's executor; what is delivered is settled when the change happens.
/// No function here runs code of the app, so a caller may hold locks.
final class Announcer: Sendable {
    private struct State {
        var listeners: [Listener] = []
        var known: Known?
    }

    /// The present user, once the first load has ended.
    private struct Known {
        var user: User?
    }

    private let state = Mutex(State())
    /// Calls made through the app's executor.
    private let calls: Mailbox
    /// Calls to the main actor that reached the executor elsewhere.
    private let mainCalls = Mailbox(loops: ListenerExecutor.automatic.loops, needsMainActor: true)
    /// Elements for sequences. An app's executor may run a consumer at once, on the thread that yields the element.
    private let elements = Mailbox(loops: [.queue(DispatchQueue(label: "SharedAuth.sequences"))])

    init(executor: ListenerExecutor) {
        calls = Mailbox(loops: executor.loops)
    }

    /// Adds a listener. Its first call has the present user, and comes once that is known.
    func add(_ listener: Listener) {
        state.withLock { state in
            state.listeners.append(listener)
            if let known = state.known { call(listener, known.user) }
        }
    }

    /// Removes a listener; it is not called any more, not even for what was announced already. A sequence ends.
    func remove(_ listener: Listener) {
        state.withLock { $0.listeners.removeAll { $0 === listener } }
        end(listener)
    }

    /// Removes every listener, and ends every sequence. One that is added later is called for changes after that.
    func removeAll() {
        let removed = state.withLock { state in
            defer { (state.listeners, state.known) = ([], nil) }
            return state.listeners
        }
        for listener in removed { end(listener) }
    }

    /// Calls every listener for a change.
    func announce(_ user: User?) {
        state.withLock { state in
            state.known = Known(user: user)
            for listener in state.listeners { call(listener, user) }
        }
    }

    /// Settles what the present user is without a change of token, e.g. after a first load that found no user.
    func note(_ user: User?) {
        state.withLock { state in
            let isFirst = state.known == nil
            state.known = Known(user: user)
            if isFirst { for listener in state.listeners { call(listener, user) } }
        }
    }

    /// Calls a completion handler; one that belongs to no actor or to the main one, after everything announced so far.
    func deliver(_ call: CompletionCall) {
        switch call {
        case .executor(let make): calls.post(Mailbox.Call(listener: nil) { _ in make() })
        case .mainActor(let make): postToMainActor(of: nil, make)
        // That needs no loop of the app.
        case .otherActor(let make): elements.post(Mailbox.Call(listener: nil) { _ in Task { await make() } })
        }
    }

    private func call(_ listener: Listener, _ user: User?) {
        guard listener.wants(user) else { return }
        switch listener.delivery {
        case .executor(let call):
            calls.post(Mailbox.Call(listener: listener) { _ in if !listener.isRetired { call(user) } })
        case .mainActor(let call):
            postToMainActor(of: listener) { if !listener.isRetired { call(user) } }
        case .sequence(let continuation):
            elements.post(Mailbox.Call(listener: listener) { _ in continuation.yield(user) })
        }
    }

    private func postToMainActor(of listener: Listener?, _ call: @escaping @MainActor @Sendable () -> Void) {
        calls.post(
            Mailbox.Call(listener: listener) { [mainCalls] onMainActor in
                let make: @Sendable (Bool) -> Void = { _ in MainActor.assumeIsolated { call() } }
                // Earlier calls that have been passed on come first.
                if onMainActor, mainCalls.isIdle {
                    make(true)
                } else {
                    mainCalls.post(Mailbox.Call(listener: listener, make: make))
                }
            }
        )
    }

    private func end(_ listener: Listener) {
        listener.retire()
        switch listener.delivery {
        case .executor:
            calls.discard(listener)
        case .mainActor:
            calls.discard(listener)
            mainCalls.discard(listener)
        case .sequence(let continuation):
            elements.post(Mailbox.Call(listener: listener) { _ in continuation.finish() })
        }
    }
}

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
        /// The last call; nil before the first.
        var lastCall: Call?
        var isRetired = false

        /// A call, with the uid of its user; nil if nobody was signed in.
        struct Call: Equatable {
            let uid: String?
        }
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
        let call = State.Call(uid: user?.uid)
        return state.withLock { state in
            defer { state.lastCall = call }
            return kind == .idToken || state.lastCall != call
        }
    }
}
