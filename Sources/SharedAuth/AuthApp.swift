internal import Synchronization

/// An app that uses SharedAuth: its identity, its options, and its `Auth` (Firebase: `FirebaseApp`).
///
/// Configure once, early. Two apps of different names in one process are strangers to each other: each has its own
/// slots and its own choice of group. Two processes with the same app id share the own slot and the stored choice; they
/// hear each other's changes, but each keeps the group it started with until it switches itself.
public final class AuthApp: Sendable {
    /// The name of the app that `Auth.auth()` uses.
    public static let defaultName = "default"

    /// The name, unique within the process.
    public let name: String
    /// The options it was configured with.
    public let options: Options
    /// Who the app is.
    public let identity: AppIdentity

    let auth: Auth

    private static let configured = Mutex<[String: AuthApp]>([:])

    /// Makes an app that `app(name:)` does not find, so that a test can have several of one name, like processes of different apps.
    ///
    /// - Throws: as `configure(_:)`, but never `alreadyConfigured`.
    public init(name: String = defaultName, unregistered options: Options) throws(AuthError) {
        self.name = name
        self.options = options
        if let flaw = Identifier.flaw(in: name, leastComponents: 1) {
            throw AuthError(.invalidAppIdentifier, "The app name \(name.debugDescription) \(flaw).")
        }
        if let flaw = Identifier.flaw(in: options.project, leastComponents: 1) {
            throw AuthError(.invalidAppIdentifier, "The project \(options.project.debugDescription) \(flaw).")
        }
        identity = try AppIdentity(
            appID: options.appID ?? AppIdentity.derivedAppID(),
            teamID: options.teamID,
            accessGroups: options.accessGroups
        )
        auth = Auth(name: name, options: options, identity: identity)
        auth.attach(self)
        auth.beginLoading()
    }

    /// Configures the app that `Auth.auth()` uses.
    ///
    /// The same options again give the same app. Nothing is read yet but names: the first load begins now, beside.
    /// - Throws: `AuthError` with code `invalidAppIdentifier`, `invalidAccessGroup` or `accessGroupNotDeclared` for
    ///   malformed options, and `alreadyConfigured` when an app of this name has other options: other values, another kind of
    ///   store, or an identity provider where the other has none.
    @discardableResult
    public static func configure(_ options: Options) throws(AuthError) -> AuthApp {
        try configure(name: defaultName, options)
    }

    /// Configures an app of another name, used through `Auth.auth(app:)`.
    ///
    /// - Throws: as `configure(_:)`.
    @discardableResult
    public static func configure(name: String, _ options: Options) throws(AuthError) -> AuthApp {
        let outcome = configured.withLock { apps -> Result<AuthApp, AuthError> in
            if let app = apps[name] {
                return app.options.isSame(as: options)
                    ? .success(app)
                    : .failure(
                        AuthError(
                            .alreadyConfigured,
                            "The app \(name) is configured already, with other options. Configure once, at launch, and "
                                + "before the first Auth.auth()."
                        )
                    )
            }
            do throws(AuthError) {
                let app = try AuthApp(name: name, unregistered: options)
                apps[name] = app
                return .success(app)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Deletes the app (Firebase: `FirebaseApp.delete`): the own slot is emptied, the name is free again, and its `Auth`
    /// calls no listener any more. Access groups and the stored choice of one stay.
    ///
    /// - Throws: an error of the keyring; then the app stays.
    @available(*, noasync)
    public func delete() throws(AuthError) {
        try auth.retire()
        Self.configured.withLock { apps in
            if apps[name] === self { apps[name] = nil }
        }
    }

    /// The app that `Auth.auth()` uses; nil before it was configured.
    public static func app() -> AuthApp? { app(name: defaultName) }

    /// The app of this name; nil before it was configured.
    public static func app(name: String) -> AuthApp? { configured.withLock { $0[name] } }
}
