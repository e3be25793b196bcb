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
        /// The emissions that no context has run yet.
        var emissions: [ObjectIdentifier: Emission] = [:]
        /// The threads that wait for a call, each in the place of a main loop.
        var substitutes: [ObjectIdentifier: Substitute] = [:]
    }

    /// A thread that runs a context of its own while it keeps the context of a session from running.
    struct Substitute: Sendable {
        let home: ContextReference
        let own: ContextReference
    }

    /// Work that the first of several contexts runs.
    final class Emission: Sendable {
        fileprivate let homes: [ContextReference]
        private let work: @Sendable (ContextReference) -> Void
        private let turn = Race<Void>()

        fileprivate init(in homes: [ContextReference], _ work: @escaping @Sendable (ContextReference) -> Void) {
            (self.homes, self.work) = (homes, work)
        }

        /// Schedules the work in `place`, which stands for `home`.
        fileprivate func schedule(in place: ContextReference, for home: ContextReference, of audience: RequestAudience)
        {
            place.invoke { [self] in
                guard turn.finish(()) else { return }
                audience.forget(self)
                work(home)
            }
        }
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
    /// sessions have ended, in the context of the last one. A substitute runs what its home cannot run meanwhile.
    ///
    /// - Returns: The emission, to be forgotten once it is of no use.
    func invoke(_ work: @escaping @Sendable (ContextReference) -> Void) -> Emission {
        let caller = SessionCore.caller?.context
        let (emission, substitutes) = state.withLock { state in
            let contexts = state.contexts.isEmpty ? [state.last] : Array(state.contexts.values)
            let emission = Emission(in: caller.map { [$0] } ?? contexts, work)
            state.emissions[ObjectIdentifier(emission)] = emission
            return (emission, state.substitutes.values.filter { $0.canRun(emission) })
        }
        for home in emission.homes { emission.schedule(in: home, for: home, of: self) }
        for substitute in substitutes { emission.schedule(in: substitute.own, for: substitute.home, of: self) }
        return emission
    }

    /// Drops an emission that no context has run.
    func forget(_ emission: Emission) {
        _ = state.withLock { $0.emissions.removeValue(forKey: ObjectIdentifier(emission)) }
    }

    /// Lets a substitute run the emissions of its home, also those that wait.
    func begin(_ substitute: Substitute) {
        let emissions = state.withLock { state in
            state.substitutes[ObjectIdentifier(substitute.own)] = substitute
            return state.emissions.values.filter { substitute.canRun($0) }
        }
        for emission in emissions { emission.schedule(in: substitute.own, for: substitute.home, of: self) }
    }

    func end(_ substitute: Substitute) {
        _ = state.withLock { $0.substitutes.removeValue(forKey: ObjectIdentifier(substitute.own)) }
    }
}

extension RequestAudience.Substitute {
    fileprivate func canRun(_ emission: RequestAudience.Emission) -> Bool {
        emission.homes.contains { $0.isSame(as: home) }
    }
}
