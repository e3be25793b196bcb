internal import CSharedAuthGLib
internal import SharedAuth
internal import Synchronization

/// What a session is made with.
struct SessionSettings: Sendable {
    var appID: String?
    var teamID: String?
    var appName: String?
    var project: String?
    var isInFiles = false
    var keyFile: String?
    var accessGroups: [String] = []
    var identityProvider: ObjectReference?
    var keepsOtherUsers = false
    var refreshesTokens = true
    var timeout: UInt32 = 5000
    var identityTimeout: UInt32 = 40000

    /// Whether a session may have the engine of another.
    func isSame(as other: SessionSettings) -> Bool {
        unsafe teamID == other.teamID && accessGroups == other.accessGroups
            && identityProvider?.pointer == other.identityProvider?.pointer
            && keepsOtherUsers == other.keepsOtherUsers && refreshesTokens == other.refreshesTokens
            && timeout == other.timeout && identityTimeout == other.identityTimeout
    }

    /// The slot in which the app keeps its users, by which sessions share an engine.
    struct Place: Hashable {
        let appID: String
        let appName: String
        let project: String
        let store: String?
    }

    /// The same for all sessions of the app's slot.
    var place: Place {
        Place(
            appID: appID ?? Self.presentAppID,
            appName: appName ?? AuthApp.defaultName,
            project: project ?? "default",
            store: isInFiles ? keyFile ?? "" : nil
        )
    }

    private static var presentAppID: String {
        let application = unsafe g_application_get_default().flatMap { unsafe g_application_get_application_id($0) }
        return unsafe application.map { unsafe String(cString: $0) } ?? AppIdentity.derivedAppID()
    }

    /// The options of the engine, which delivers on a context.
    func options(of place: Place, _ context: ContextReference) throws(AuthError) -> AuthApp.Options {
        var options = AuthApp.Options(
            appID: place.appID,
            teamID: teamID,
            accessGroups: accessGroups,
            project: place.project,
            timeout: .milliseconds(timeout),
            keepsOtherUsers: keepsOtherUsers,
            refreshesTokens: refreshesTokens
        )
        options.identityTimeout = .milliseconds(identityTimeout)
        if isInFiles {
            guard let keyFile else {
                throw AuthError(
                    .keyringUnavailable,
                    "Encrypted files need a key.",
                    remedy: "Make the session with key-file."
                )
            }
            options.store = .encryptedFile(key: .keyFile(keyFile))
        }
        if let identityProvider {
            options.identityProvider = unsafe core(of: identityProvider.pointer, as: ProviderCore.self)
                .factory(for: identityProvider, context)
        }
        return options
    }
}

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
        if let identityProvider = settings.identityProvider {
            unsafe core(of: identityProvider.pointer, as: ProviderCore.self).prepare(auth)
        }
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
