internal import SharedAuth
internal import Synchronization

/// The `Auth` that the sessions of this process with the same `EngineKey` share, from the first one's creation to the
/// last one's end.
final class SharedEngine: Sendable {
    let app: AuthApp
    let settings: SessionSettings
    private let key: SessionSettings.EngineKey
    let audience: RequestAudience
    private let state = Mutex(State())

    private struct State {
        /// The latest view of the `Auth`.
        var view = SessionView.unknown
        var sessions: [WeakSession] = []

        struct WeakSession {
            weak var session: SessionCore?
        }
    }

    var auth: Auth { Auth.auth(app: app) }

    /// The issuer of the users who sign in with the identity provider; nil without one.
    var issuer: String? { settings.provider.flatMap { _ in try? auth.identityProvider().issuer } }

    private static let uses = Mutex<[SessionSettings.EngineKey: Use]>([:])

    /// An engine and the number of the sessions that use it.
    private struct Use {
        let engine: SharedEngine
        var sessionCount = 1
    }

    private init(
        _ settings: SessionSettings,
        for key: SessionSettings.EngineKey,
        _ context: ContextReference
    ) throws(AuthError) {
        self.settings = settings
        self.key = key
        audience = RequestAudience(context)
        // Not registered, but with the name that a Swift app would use, so that both use the same slot.
        app = try AuthApp(name: key.appName, unregistered: settings.options(for: key, audience))
        audience.auth = auth
        try settings.provider?.prepare(auth)
    }

    /// Returns the engine for a session's settings: the existing one, or a new one. The session calls `leave()` when it
    /// ends.
    ///
    /// - Parameter context: The main context of the session.
    /// - Throws: `alreadyConfigured` if the existing engine has other options; the errors of `AuthApp.configure`, of the
    ///   settings and of the identity provider for invalid options.
    static func join(_ settings: SessionSettings, _ context: ContextReference) throws(AuthError) -> SharedEngine {
        let key = try settings.engineKey
        let (result, isNew) = uses.withLock { uses -> (Result<SharedEngine, AuthError>, Bool) in
            if let engine = uses[key]?.engine {
                if engine.settings.canShareEngine(with: settings) {
                    uses[key]?.sessionCount += 1
                    return (.success(engine), false)
                }
                let error = AuthError(
                    .alreadyConfigured,
                    "A session of \(key.appID) with other options already exists.",
                    remedy: "Create all sessions of an app with the same options."
                )
                return (.failure(error), false)
            }
            do throws(AuthError) {
                let engine = try SharedEngine(settings, for: key, context)
                uses[key] = Use(engine: engine)
                return (.success(engine), true)
            } catch {
                return (.failure(error), false)
            }
        }
        let engine = try result.get()
        if isNew { engine.start() }
        return engine
    }

    /// Ends a session's use of the engine. After the last one's, the next session gets a new engine.
    func leave(_ session: SessionCore) {
        state.withLock { $0.sessions.removeAll { $0.session == nil || $0.session === session } }
        audience.remove(session)
        Self.uses.withLock { uses in
            uses[key]?.sessionCount -= 1
            if uses[key]?.sessionCount == 0 { uses[key] = nil }
        }
    }

    private func start() {
        auth.present { [weak self] view in self?.post(view) }
    }

    private func post(_ view: SessionView) {
        let sessions = state.withLock { state in
            state.view = view
            return state.sessions.compactMap(\.session)
        }
        for session in sessions { session.post(view) }
    }

    /// Adds a session, and posts the present and all later views to it.
    func add(_ session: SessionCore) {
        audience.add(session)
        state.withLock { state in
            state.sessions.removeAll { $0.session == nil }
            state.sessions.append(State.WeakSession(session: session))
            if !state.view.isUnknown { session.post(state.view) }
        }
    }
}

extension SessionView {
    /// Indicates whether the first load has not ended.
    var isUnknown: Bool { if case .unknown = state { true } else { false } }
}
