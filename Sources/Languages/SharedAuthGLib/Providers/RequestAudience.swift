internal import DesktopSupport
internal import SharedAuth
internal import Synchronization

/// The sessions of an engine, in whose main contexts its identity provider emits signals.
final class RequestAudience: Sendable {
    private let state: Mutex<State>

    private struct State {
        weak var auth: Auth?
        /// The contexts of the sessions that have not ended.
        var contexts: [ObjectIdentifier: ContextReference] = [:]
        /// The context of the session that ended last; before any has, that of the first one.
        var last: ContextReference
    }

    /// - Parameter context: The main context of the engine's first session.
    init(_ context: ContextReference) { state = Mutex(State(last: context)) }

    /// The `Auth` of the engine, as long as it exists.
    var auth: Auth? {
        get { state.withLock { $0.auth } }
        set { state.withLock { $0.auth = newValue } }
    }

    func add(_ session: SessionCore) {
        state.withLock { $0.contexts[ObjectIdentifier(session)] = session.context }
    }

    func remove(_ session: SessionCore) {
        state.withLock { state in
            if let ended = state.contexts.removeValue(forKey: ObjectIdentifier(session)) { state.last = ended }
        }
    }

    /// Schedules `work` once: in the context of the session whose call is running. If none is, as in an automatic
    /// refresh, in the first context of a living session that runs; the thread of another one may have ended. If all
    /// sessions have ended, in the context of the last one.
    func invoke(_ work: @escaping @Sendable (ContextReference) -> Void) {
        if let caller = SessionCore.caller {
            return caller.context.invoke { work(caller.context) }
        }
        let turn = Race<Void>()
        for context in contexts {
            context.invoke { if turn.finish(()) { work(context) } }
        }
    }

    private var contexts: [ContextReference] {
        state.withLock { $0.contexts.isEmpty ? [$0.last] : Array($0.contexts.values) }
    }
}
