package import FoundationEssentials
internal import SecretService

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
        /// Who signs users in; nil: nobody can sign in, but stored users are read.
        public var identityProvider: IdentityProviderFactory?
        /// Where users are stored.
        public var store: RecordStoreFactory
        /// Where listeners and completion handlers are called.
        public var listenerExecutor: ListenerExecutor
        /// How long a call may take, the start of a keyring daemon included.
        public var timeout: Duration
        /// How long the identity provider may take to answer; 30 seconds unless it is set. What it answers to a refresh later
        /// than that is still saved.
        public var identityTimeout: Duration = .seconds(30)
        /// Where the choice of access group is stored. Nil: `$XDG_STATE_HOME/sharedauth`, else
        /// `~/.local/state/sharedauth`.
        public var stateDirectory: String?
        /// Whether changes that other processes make are heard. A one-shot command-line program may do without.
        public var observesOtherProcesses: Bool
        /// Whether a sign-in keeps the users who are signed in already, beside the new current one. Off, as in Firebase:
        /// the new user replaces the present one.
        public var keepsOtherUsers: Bool
        /// Whether the current user's ID token is refreshed before it expires, once the app has asked for one. Unless it
        /// is set, on for desktop apps and off for command-line programs: processes with a controlling terminal.
        public var refreshesTokens: Bool
        /// Runs the automatic refresh later; nil: a timer.
        package var schedule: (@Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void)?
        /// The clock that tells which tokens have expired.
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
        /// nor providers, unless one is missing.
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
