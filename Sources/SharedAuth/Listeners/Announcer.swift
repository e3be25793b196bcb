internal import Synchronization

/// Tells listeners and sequences of each change of the current user, in order, with the value of that change.
///
/// Only the moment of delivery belongs to the app's executor; what is delivered is settled when the change happens.
final class Announcer: Sendable {
    private struct State {
        var listeners: [Listener] = []
        var known: Known?
    }

    /// The present user, once the first load has told.
    private struct Known {
        var user: User?
    }

    private let state = Mutex(State())
    private let mailbox: Mailbox

    init(executor: ListenerExecutor) {
        mailbox = Mailbox(executor: executor)
    }

    /// Adds a listener. Its first call has the present user, and comes once that is known.
    func add(_ listener: Listener) {
        state.withLock { state in
            state.listeners.append(listener)
            if let known = state.known { tell(listener, known.user) }
        }
    }

    /// Removes a listener; it is not called any more, not even for what was announced already.
    func remove(_ listener: Listener) {
        listener.retire()
        state.withLock { $0.listeners.removeAll { $0 === listener } }
    }

    /// Removes every listener, and ends every sequence.
    func removeAll() {
        let removed = state.withLock { state in
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in removed {
            listener.retire()
            if case .sequence(let continuation) = listener.delivery { continuation.finish() }
        }
    }

    /// Tells everyone of a change.
    func announce(_ user: User?) {
        state.withLock { state in
            state.known = Known(user: user)
            for listener in state.listeners { tell(listener, user) }
        }
    }

    /// Settles what the present user is without a change of token, e.g. after a first load that found nobody.
    func note(_ user: User?) {
        state.withLock { state in
            let isFirst = state.known == nil
            state.known = Known(user: user)
            if isFirst { for listener in state.listeners { tell(listener, user) } }
        }
    }

    /// Calls a completion handler after everything announced so far.
    func deliver(_ work: @escaping @Sendable () -> Void) {
        mailbox.post(work)
    }

    private func tell(_ listener: Listener, _ user: User?) {
        guard listener.wants(user) else { return }
        switch listener.delivery {
        case .executor(let call):
            mailbox.post { if !listener.isRetired { call(user) } }
        case .sequence(let continuation):
            continuation.yield(user)
        }
    }
}
