internal import SharedAuth
internal import Synchronization

/// The `Auth` of an app, for all sessions of the app's slot in this process; it ends with the last of them.
final class SharedEngine: Sendable {
    let app: AuthApp
    let settings: SessionSettings
    private let followers = Mutex(Followers())

    private struct Followers {
        var view = SessionView.unknown
        var sessions: [Follower] = []

        struct Follower {
            weak var session: SessionCore?
        }
    }

    var auth: Auth { Auth.auth(app: app) }

    private static let present = Mutex<[SessionSettings.Place: WeakEngine]>([:])

    private struct WeakEngine {
        weak var engine: SharedEngine?
    }

    private init(
        _ settings: SessionSettings,
        at place: SessionSettings.Place,
        _ context: ContextReference
    ) throws(AuthError) {
        self.settings = settings
        // Never registered, under the name that a Swift app has: so its slot is the same.
        app = try AuthApp(name: place.appName, unregistered: settings.options(of: place, context))
    }

    /// Returns the engine of the sessions of this slot: the present one, or another.
    ///
    /// - Throws: `alreadyConfigured` if the present one has other options; what makes the options malformed.
    static func engine(of settings: SessionSettings, _ context: ContextReference) throws(AuthError) -> SharedEngine {
        let place = settings.place
        let (result, isNew) = present.withLock { engines -> (Result<SharedEngine, AuthError>, Bool) in
            if let engine = engines[place]?.engine {
                if engine.settings.isSame(as: settings) { return (.success(engine), false) }
                let error = AuthError(
                    .alreadyConfigured,
                    "There is a session of \(place.appID) already, with other options.",
                    remedy: "Make every session of an app with the same options."
                )
                return (.failure(error), false)
            }
            do throws(AuthError) {
                let engine = try SharedEngine(settings, at: place, context)
                engines = engines.filter { $0.value.engine != nil }
                engines[place] = WeakEngine(engine: engine)
                return (.success(engine), true)
            } catch {
                return (.failure(error), false)
            }
        }
        let engine = try result.get()
        if isNew { engine.begin() }
        return engine
    }

    private func begin() {
        settings.provider?.prepare(auth)
        auth.present { [weak self] view in self?.show(view) }
    }

    private func show(_ view: SessionView) {
        let sessions = followers.withLock { followers in
            followers.view = view
            return followers.sessions.compactMap(\.session)
        }
        for session in sessions { session.post(view) }
    }

    /// Posts to a session what is known now, and from now on.
    func add(_ session: SessionCore) {
        followers.withLock { followers in
            followers.sessions.removeAll { $0.session == nil }
            followers.sessions.append(Followers.Follower(session: session))
            if !followers.view.isUnknown { session.post(followers.view) }
        }
    }
}

extension SessionView {
    /// Whether nothing is known yet.
    var isUnknown: Bool { if case .unknown = state { true } else { false } }
}
