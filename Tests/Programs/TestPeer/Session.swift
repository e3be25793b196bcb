internal import Dispatch
internal import EncryptedFiles
internal import IdentityToolkit
internal import SecretService
internal import SharedAuth
internal import SharedAuthHTTP
internal import Synchronization
internal import TestSupport

/// The app of this process, and the commands that it carries out.
final class Session: Sendable {
    let app: AuthApp
    let store: any RecordStore
    /// Takes the updates of slots since the last call.
    let takeUpdates: @Sendable () -> [HistoryAct.Update]
    let identity: PeerIdentity
    let tap: CallTap
    let arguments: Arguments
    /// True once `history` has set the app's tenant.
    let isTenantChosen = Mutex(false)
    /// The user that `put-back` makes current again.
    let kept = Mutex<User?>(nil)

    var auth: Auth { Auth.auth(app: app) }

    /// Long, because the machine may be busy.
    private static let patience = Duration.seconds(240)

    init(_ arguments: Arguments) throws(PeerFailure) {
        self.arguments = arguments
        identity = PeerIdentity(issuer: arguments.issuer, used: arguments.used)
        let tap = CallTap(arguments.trap)
        self.tap = tap
        var configuration = SecretService.Configuration(busAddress: .address(arguments.busAddress))
        configuration.timeout = arguments.timeout
        configuration.interceptor = tap.interceptor
        if let files = arguments.files {
            let key = FileStoreKey.keyFile(files.keyFile)
            (store, takeUpdates) = Self.recorded(
                EncryptedFileRecordStore(directory: files.directory, key: key, steps: tap.stepInterceptor),
                if: arguments.records
            )
        } else {
            (store, takeUpdates) = Self.recorded(
                SecretServiceRecordStore(SecretService(configuration), locking: arguments.locking),
                if: arguments.records
            )
        }
        do throws(AuthError) {
            var options = AuthApp.Options(
                appID: arguments.appID,
                accessGroup: arguments.accessGroup,
                project: arguments.project,
                identityProvider: IdentityProviderFactory { [identity] _ in identity },
                store: .custom(store),
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "announcements")),
                timeout: arguments.timeout,
                stateDirectory: arguments.stateDirectory,
                observesOtherProcesses: arguments.observes,
                refreshesTokens: false
            )
            if arguments.firebasePort != nil {
                var settings = IdentityToolkit.Settings()
                settings.policy.callTimeout = Self.patience
                options.identityProvider = .firebase(apiKey: "KEY", settings: settings)
                options.identityTimeout = Self.patience
            }
            app = try AuthApp.configure(options)
        } catch {
            throw .auth(error)
        }
        if let port = arguments.firebasePort { auth.useEmulator(withHost: "127.0.0.1", port: port) }
    }

    private static func recorded(
        _ store: some RecordListing,
        if records: Bool
    ) -> (any RecordStore, @Sendable () -> [HistoryAct.Update]) {
        if !records { return (store, { [] }) }
        let store = RecordingStore(store)
        return (store, { store.takeUpdates() })
    }

    /// Carries out commands until the input ends or a line is `quit`.
    func run() async {
        _ = await auth.ready()
        var started = present("start")
        started.calls = tap.calls
        auth.waitUntilIdle()
        LineOutput.write(started)
        while let line = readLine(), line != "quit" {
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            let before = tap.calls
            var answer: PeerLine
            do throws(PeerFailure) {
                answer = try await obey(verb, Array(words.dropFirst()))
            } catch {
                answer = error.line(answering: verb)
            }
            answer.calls = tap.calls - before
            auth.waitUntilIdle()
            LineOutput.write(answer)
        }
    }

    /// Returns the app's state in a line.
    func present(_ verb: String) -> PeerLine {
        describe(auth.currentUser, answering: verb)
    }

    func describe(_ user: User?, answering verb: String) -> PeerLine {
        var line = PeerLine(answer: verb)
        (line.uid, line.token, line.name) = (user?.uid, user?.refreshToken, user?.displayName)
        line.needsSignIn = user.map { $0.sessionFailure != nil }
        line.group = auth.userAccessGroup
        line.state = auth.state.word
        return line
    }
}

extension AuthState {
    /// The name of the state, without its details.
    fileprivate var word: String {
        switch self {
        case .unknown: "unknown"
        case .signedIn: "signedIn"
        case .signedOut: "signedOut"
        case .locked: "locked"
        case .unavailable: "unavailable"
        case .damaged: "damaged"
        }
    }
}

/// The error of a command.
enum PeerFailure: Error {
    case auth(AuthError)
    case store(RecordStoreError)
    /// The command is malformed.
    case command(String)

    func line(answering verb: String) -> PeerLine {
        var line = PeerLine(answer: verb)
        switch self {
        case .auth(let error): (line.error, line.message) = (error.code.rawValue, error.text)
        case .store(let error): (line.error, line.message) = (-1, "\(error.code): \(error.message)")
        case .command(let text): (line.error, line.message) = (-2, text)
        }
        return line
    }
}
