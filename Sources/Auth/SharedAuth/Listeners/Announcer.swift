internal import Dispatch
internal import Synchronization

/// Calls listeners and sequences for each change of the current user, in order, with the value of that change.
///
/// The value is fixed when the change happens; the app's executor determines only the time of delivery. No method here
/// runs code of the app, so callers may hold locks.
final class Announcer: Sendable {
    private struct State {
        var listeners = ListenerList()
        var known: Known?
    }

    /// The current user, while it is known.
    private struct Known {
        var user: User?
    }

    private let state = Mutex(State())
    /// Calls through the app's executor.
    private let calls: Mailbox
    /// Calls for the main actor that the app's executor delivered on another thread.
    private let mainCalls = Mailbox(loops: ListenerExecutor.automatic.loops, needsMainActor: true)
    /// Elements for sequences. They have a separate queue, because an app's executor may run a consumer immediately, on
    /// the thread that yields the element.
    private let elements = Mailbox(loops: [.queue(DispatchQueue(label: "SharedAuth.sequences"))])

    init(executor: ListenerExecutor) {
        calls = Mailbox(loops: executor.loops)
    }

    /// Adds a listener. It is first called with the current user, once that is known.
    func add(_ listener: Listener) {
        state.withLock { state in
            state.listeners.append(listener)
            if let known = state.known { call(listener, known.user) }
        }
    }

    /// Removes a listener. It is no longer called, not even for earlier changes that are still queued. A sequence ends.
    func remove(_ listener: Listener) {
        state.withLock { $0.listeners.remove(listener) }
        end(listener)
    }

    /// Removes every listener and ends every sequence. A listener added later is called for later changes only.
    func removeAll() {
        let removed = state.withLock { state in
            defer { (state.listeners, state.known) = (ListenerList(), nil) }
            return state.listeners.all
        }
        for listener in removed { end(listener) }
    }

    /// Calls every listener for a change.
    func announce(_ user: User?) {
        state.withLock { state in
            state.known = Known(user: user)
            for listener in state.listeners.all { call(listener, user) }
        }
    }

    /// Sets the current user without announcing a change, e.g. after a first load that found no user. Calls only the
    /// listeners that were never called, because they were added while the user was not known.
    func note(_ user: User?) {
        state.withLock { state in
            let wasKnown = state.known != nil
            state.known = Known(user: user)
            if wasKnown { return }
            for listener in state.listeners.all where !listener.wasCalled { call(listener, user) }
        }
    }

    /// Notes that the current user is not known any longer. A listener added now is called once it is known again.
    func unsettle() { state.withLock { $0.known = nil } }

    /// Calls a completion handler. A handler without an actor, or of the main actor, is called after the calls of
    /// listeners for earlier changes.
    func deliver(_ call: CompletionCall) {
        switch call {
        case .executor(let make): calls.post(Mailbox.Call(listener: nil) { _ in make() })
        case .mainActor(let make): postToMainActor(of: nil, make)
        // Another actor does not need one of the app's loops.
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
                // Earlier calls that were forwarded to the main actor go first.
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
    /// The changes that a listener is called for.
    enum Kind {
        /// Changes of the account since its last call, or of whether its user must sign in again.
        case authState
        /// Changes of the ID token.
        case idToken
    }

    /// The way a listener is called.
    enum Delivery {
        /// Through the app's listener executor.
        case executor(@Sendable (User?) -> Void)
        /// On the main actor.
        case mainActor(@MainActor (User?) -> Void)
        /// As an element of a stream.
        case sequence(AsyncStream<User?>.Continuation)
    }

    private struct State {
        /// The last call; nil before the first.
        var lastCall: Call?
        var isRetired = false

        /// A call, with the account of its user; nil if no user was signed in.
        struct Call: Equatable {
            let account: AccountID?
            let needsSignIn: Bool
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

    /// Indicates whether the listener was ever called.
    var wasCalled: Bool { state.withLock { $0.lastCall != nil } }

    /// Returns whether to call the listener with this user, and records the call.
    func wants(_ user: User?) -> Bool {
        let call = State.Call(account: user?.id, needsSignIn: user?.needsSignIn ?? false)
        return state.withLock { state in
            defer { state.lastCall = call }
            return kind == .idToken || state.lastCall != call
        }
    }
}
