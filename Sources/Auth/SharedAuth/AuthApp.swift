package import FoundationEssentials
internal import Glibc
// What an app says of its store (`.secretService()`, `.encryptedFile(key:)`, `.inMemory()`), and what a store of its own has to
// do, is public there. An app imports SharedAuth alone for all of it.
@_exported public import SharedAuthRecords
internal import Synchronization

/// An app that uses SharedAuth: its identity, its options, and its `Auth` (Firebase: `FirebaseApp`).
///
/// Configure once, early. Two apps of different names in one process are independent: each has its own
/// slots and its own choice of group. Two processes with the same app id share the own slot and the stored choice; they
/// observe each other's changes, but each keeps the group it started with until it switches itself.
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
            throw AuthError(.invalidAppIdentifier, "The app name \(name.quotedName) \(flaw).")
        }
        if let flaw = Identifier.flaw(in: options.project, leastComponents: 1) {
            throw AuthError(.invalidAppIdentifier, "The project \(options.project.quotedName) \(flaw).")
        }
        identity = try AppIdentity(
            appID: options.appID ?? AppIdentity.derivedAppID(),
            teamID: options.teamID,
            accessGroups: options.accessGroups
        )
        auth = Auth(name: name, options: options, identity: identity)
        auth.attach(self)
        auth.engine.beginLoading()
    }

    /// Configures the app that `Auth.auth()` uses.
    ///
    /// The same options again give the same app. The first load begins now, in the background.
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
                            "The app \(name) is configured already, with other options.",
                            remedy: "Configure it once, at launch, and before the first Auth.auth()."
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
    public func delete() throws(AuthError) {
        try auth.engine.retire()
        Self.configured.withLock { apps in
            if apps[name] === self { apps[name] = nil }
        }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func delete() async throws(AuthError) {
        try await auth.engine.offload { [self] () throws(AuthError) in try delete() }
    }

    /// The app that `Auth.auth()` uses; nil before it was configured.
    public static func app() -> AuthApp? { app(name: defaultName) }

    /// The app of this name; nil before it was configured.
    public static func app(name: String) -> AuthApp? { configured.withLock { $0[name] } }
}

extension AuthApp {
    /// The directory that keeps choices of access group, unless an app names another.
    package static var defaultStateDirectory: String { Journal.defaultDirectory }
}

extension AuthApp {
    /// How an app uses SharedAuth.
    public struct Options: Sendable {
        /// The app id in reverse DNS form. Nil: the Flatpak id, else `SHAREDAUTH_APP_ID`, else the snap's
        /// name, else the executable's.
        public var appID: String?
        /// The team id; with one, every access group starts with it or with `group.`.
        public var teamID: String?
        /// The access groups the app declares; any other is refused. Empty: any well-formed group is accepted.
        public var accessGroups: [String]
        /// The project (Firebase: the API key). Apps of different projects share nothing.
        public var project: String
        /// Who signs users in; nil: no user can sign in, but stored users are read.
        public var identityProvider: IdentityProviderFactory?
        /// Where users are stored.
        public var store: RecordStoreFactory
        /// Where listeners and completion handlers are called.
        public var listenerExecutor: ListenerExecutor
        /// How long a call may take, the start of a keyring daemon included.
        public var timeout: Duration
        /// How long the identity provider may take to answer; 40 seconds unless it is set. A refresh, or a change that gives new tokens,
        /// continues after that, and its tokens are still saved. For twice this time, no other process exchanges the present tokens; a call
        /// that waits for another process's exchange waits, with its own exchange, no longer than `timeout` and this time together.
        public var identityTimeout: Duration = .seconds(40)
        /// Where the choice of access group is stored. Nil: `$XDG_STATE_HOME/sharedauth`, else
        /// `~/.local/state/sharedauth`.
        public var stateDirectory: String?
        /// Whether changes that other processes make are observed. A short command-line program can switch this off.
        public var observesOtherProcesses: Bool
        /// Whether a sign-in keeps the users who are signed in already, in addition to the new current one. Off, as in Firebase:
        /// the new user replaces the present one.
        public var keepsOtherUsers: Bool
        /// Whether the current user's ID token is refreshed before it expires, once the app has asked for one. Unless it
        /// is set, on for desktop apps and off for command-line programs: processes with a controlling terminal.
        public var refreshesTokens: Bool
        /// Runs the automatic refresh later; nil: a timer.
        package var schedule: (@Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void)?
        /// How long a call keeps the turn that may make the present tokens void; nil: twice the identity provider's time.
        package var longestExchange: Duration?
        /// How long an awaited sign-out waits for the identity provider to revoke all the sessions that it ended.
        package var revocationTimeout: Duration = .seconds(5)
        /// The clock by which tokens expire.
        package var now: @Sendable () -> Date = { Date() }

        /// Makes options.
        public init(
            appID: String? = nil,
            teamID: String? = nil,
            accessGroups: [String] = [],
            project: String = "default",
            identityProvider: IdentityProviderFactory? = nil,
            store: RecordStoreFactory = .secretService(),
            listenerExecutor: ListenerExecutor = .automatic,
            timeout: Duration = .seconds(5),
            stateDirectory: String? = nil,
            observesOtherProcesses: Bool = true,
            keepsOtherUsers: Bool = false,
            refreshesTokens: Bool? = nil
        ) {
            self.appID = appID
            self.teamID = teamID
            self.accessGroups = accessGroups
            self.project = project
            self.identityProvider = identityProvider
            self.store = store
            self.listenerExecutor = listenerExecutor
            self.timeout = timeout
            self.stateDirectory = stateDirectory
            self.observesOtherProcesses = observesOtherProcesses
            self.keepsOtherUsers = keepsOtherUsers
            self.refreshesTokens = refreshesTokens ?? !Terminal.isAttached
        }

        /// Whether the plain values are the same, and the kind of store; executors cannot be compared, nor stores of a kind,
        /// nor identity providers, unless one is missing.
        func isSame(as other: Options) -> Bool {
            appID == other.appID && teamID == other.teamID && accessGroups == other.accessGroups
                && project == other.project && timeout == other.timeout
                && identityTimeout == other.identityTimeout && stateDirectory == other.stateDirectory
                && observesOtherProcesses == other.observesOtherProcesses && keepsOtherUsers == other.keepsOtherUsers
                && refreshesTokens == other.refreshesTokens && store.kind == other.store.kind
                && (identityProvider == nil) == (other.identityProvider == nil)
        }
    }
}

/// The terminal that a command-line program runs in.
private enum Terminal {
    /// Whether the process belongs to one: it has a controlling terminal.
    static let isAttached: Bool = {
        let terminal = unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }()
}
