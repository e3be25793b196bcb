package import FoundationEssentials
internal import Glibc
// Re-exports the store factories (`.secretService()`, `.encryptedFiles(key:)`, `.inMemory()`) and the protocol for
// custom stores, so that an app only imports SharedAuth.
@_exported public import SharedAuthRecords
internal import Synchronization

/// An app that uses SharedAuth: its identity, its options, and its `Auth` (Firebase: `FirebaseApp`).
///
/// Configure the app once, at launch. Two apps with different names in one process are independent: each has its own
/// slots and its own group choice. Two processes with the same app id share the app's own slot and the stored group
/// choice. They observe each other's changes, but each process keeps the group it started with until it switches groups
/// itself, or until the users of its slot are migrated.
public final class AuthApp: Sendable {
    /// The name of the app that `Auth.auth()` uses.
    public static let defaultName = "default"

    /// The name, unique within the process.
    public let name: String
    /// The options that the app was configured with.
    public let options: Options
    /// The app's identity.
    public let identity: AppIdentity

    let auth: Auth

    private static let configured = Mutex<[String: AuthApp]>([:])

    /// Creates an app that is not registered, so `app(name:)` does not find it. Lets a test simulate several processes.
    ///
    /// - Throws: The errors of `configure(_:)`, except `alreadyConfigured`.
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
        if let group = options.accessGroup { _ = try identity.accessGroup(named: group) }
        auth = Auth(name: name, options: options, identity: identity)
        auth.attach(self)
        auth.engine.beginLoading()
    }

    /// Configures the app that `Auth.auth()` uses, and starts to load the stored user in the background.
    ///
    /// Calling it again with the same options returns the same app.
    ///
    /// - Throws: `invalidAppIdentifier`, `invalidAccessGroup` or `accessGroupNotDeclared` if an option is malformed;
    ///   `alreadyConfigured` if the app was configured with different values or another kind of store, or if only one
    ///   of the two configurations has an identity provider.
    @discardableResult
    public static func configure(_ options: Options) throws(AuthError) -> AuthApp {
        try configure(name: defaultName, options)
    }

    /// Configures an app with this name, for use with `Auth.auth(app:)`.
    ///
    /// - Throws: The errors of `configure(_:)`.
    @discardableResult
    public static func configure(name: String, _ options: Options) throws(AuthError) -> AuthApp {
        let outcome = configured.withLock { apps -> Result<AuthApp, AuthError> in
            if let app = apps[name] {
                return app.options.isSame(as: options)
                    ? .success(app)
                    : .failure(
                        AuthError(
                            .alreadyConfigured,
                            "The app \(name) is already configured with different options.",
                            remedy: "Configure it once, at launch, before the first call of Auth.auth()."
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

    /// Deletes the app (Firebase: `FirebaseApp.delete`).
    ///
    /// Empties the app's own slot, makes the name available again, and stops calling the listeners of the app's `Auth`.
    /// Users in access groups and the stored group choice are kept.
    ///
    /// - Throws: An error of the store; the app is then not deleted.
    public func delete() throws(AuthError) {
        try auth.engine.retire()
        Self.configured.withLock { apps in
            if apps[name] === self { apps[name] = nil }
        }
    }

    /// Deletes the app as the synchronous form does, without blocking the caller's thread.
    ///
    /// - Throws: The errors of the synchronous form.
    public func delete() async throws(AuthError) {
        try await auth.engine.offload { [self] () throws(AuthError) in try delete() }
    }

    /// Returns the app that `Auth.auth()` uses; nil before it is configured and after it is deleted.
    public static func app() -> AuthApp? { app(name: defaultName) }

    /// Returns the app with this name; nil before it is configured and after it is deleted.
    public static func app(name: String) -> AuthApp? { configured.withLock { $0[name] } }
}

extension AuthApp {
    /// The default directory for stored access-group choices.
    package static var defaultStateDirectory: String { Journal.defaultDirectory }
}

extension AuthApp {
    /// The configuration of an app.
    public struct Options: Sendable {
        /// The app id in reverse DNS form. If nil, the first of these that exists: the Flatpak id, the value of
        /// `SHAREDAUTH_APP_ID`, the snap's name, the executable's name.
        public var appID: String?
        /// The team id. If it is set, every access group must start with it or with `group.`.
        public var teamID: String?
        /// The access group that the app uses from its first read on; nil to use the choice that
        /// ``Auth/useUserAccessGroup(_:)`` stored last.
        ///
        /// A keyring that is locked or absent at the start is a state of this group: once it can be read, the app shows
        /// the group's user, and ``ownUserPolicy`` decides about a user in the app's own slot. The option takes
        /// precedence over a stored choice of another group, and is stored instead of it. A later call of
        /// `useUserAccessGroup` or a migration applies until the process ends.
        public var accessGroup: String?
        /// The policy for a user in the app's own slot when the app joins ``accessGroup``; by default the user is
        /// signed out, as by `useUserAccessGroup`.
        public var ownUserPolicy: OwnUserPolicy = .clear
        /// The access groups that the app declares. Any other group is rejected; if empty, any well-formed group is
        /// accepted.
        public var accessGroups: [String]
        /// The project (Firebase: the API key). Apps of different projects share nothing.
        public var project: String
        /// The identity provider, which signs users in. If nil, no user can sign in, but stored users can be read.
        public var identityProvider: IdentityProviderFactory?
        /// The store of the users.
        public var store: RecordStoreFactory
        /// The executor on which listeners and completion handlers are called.
        public var listenerExecutor: ListenerExecutor
        /// The time limit of a call, including the start of a keyring daemon.
        public var timeout: Duration
        /// The time limit for the identity provider's response; 40 seconds by default.
        ///
        /// A refresh, or a change that returns new tokens, continues after the limit, and its tokens are still saved.
        /// Meanwhile no other process refreshes the same tokens, for up to twice this time. A call that waits for
        /// another process's refresh ends after about the sum of `timeout` and this time, its own refresh included.
        public var identityTimeout: Duration = .seconds(40)
        /// The directory that stores the access-group choice. If nil, `$XDG_STATE_HOME/sharedauth`, or
        /// `~/.local/state/sharedauth` if that variable is not set.
        public var stateDirectory: String?
        /// Indicates whether changes by other processes are observed. A short-lived command-line program can turn this
        /// off.
        public var observesOtherProcesses: Bool
        /// Indicates whether a sign-in keeps the users who are already signed in, in addition to the new current user.
        /// If false, the new user replaces the current one, as in Firebase, and the one that this app shows; their
        /// sessions are revoked. Accounts that this app never showed stay.
        public var keepsOtherUsers: Bool
        /// Indicates whether the current user's ID token is refreshed before it expires, once the app has requested
        /// one. By default, true unless the process has a controlling terminal, as command-line programs do.
        public var refreshesTokens: Bool
        /// Schedules the automatic refresh; nil for a timer.
        package var schedule:
            (@Sendable (@escaping @Sendable () -> Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void)?
        /// The maximum time for which an exchange that may invalidate the present tokens keeps its turn; nil for twice
        /// `identityTimeout`.
        package var longestExchange: Duration?
        /// The time for which an awaited sign-out waits for the identity provider to revoke all the sessions that it
        /// ended.
        package var revocationTimeout: Duration = .seconds(5)
        /// The machine whose journals the app uses; nil if it has no id.
        package var machine = MachineName.current
        /// Intercepts each step of the work on the files of the stored choice.
        var fileSteps = FileStepInterceptor.none
        /// The clock by which tokens expire.
        package var now: @Sendable () -> Date = { Date() }

        /// Creates options. The defaults suit a desktop app with one user.
        ///
        /// - Parameters:
        ///   - appID: The app id in reverse DNS form, e.g. `com.example.Mail`; nil to derive it from the process.
        ///   - teamID: The team id that access groups start with, if there is one.
        ///   - accessGroup: The access group that the app uses from its first read on; nil for the stored choice.
        ///   - accessGroups: The access groups that the app declares; empty to accept any well-formed group.
        ///   - project: The project (Firebase: the API key). Apps of different projects share nothing.
        ///   - identityProvider: The identity provider; nil if the app only reads stored users.
        ///   - store: The store of the users; the desktop's Secret Service by default.
        ///   - listenerExecutor: The executor on which listeners and completion handlers are called.
        ///   - timeout: The time limit of a call.
        ///   - stateDirectory: The directory that stores the access-group choice; nil for the user's state directory.
        ///   - observesOtherProcesses: True to observe changes by other processes.
        ///   - keepsOtherUsers: True to keep the users who are already signed in when another user signs in.
        ///   - refreshesTokens: True to refresh the ID token before it expires; nil for true unless the process has a
        ///     controlling terminal.
        public init(
            appID: String? = nil,
            teamID: String? = nil,
            accessGroup: String? = nil,
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
            self.accessGroup = accessGroup
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

        /// Returns whether the public values, the kind of store and the presence of an identity provider are equal.
        /// Ignores executors, the settings of a store and of an identity provider, and the package's own options.
        func isSame(as other: Options) -> Bool {
            appID == other.appID && teamID == other.teamID && Set(accessGroups) == Set(other.accessGroups)
                && accessGroup == other.accessGroup && ownUserPolicy == other.ownUserPolicy
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
    /// Indicates whether the process has a controlling terminal.
    static let isAttached: Bool = {
        let terminal = unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }()
}
