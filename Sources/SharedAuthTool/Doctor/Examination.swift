internal import ArgumentParser
internal import CommandLineSupport
internal import SecretService
internal import SharedAuth

/// What all checks know, and what they have found so far, from the ground up.
///
/// A check that is impossible because an earlier one failed is left out.
struct Examination {
    /// The app's options as the other verbs use them.
    let options: AuthApp.Options
    /// The Secret Service on a connection of its own.
    let service: SecretService
    /// Records there.
    let store: SecretServiceRecordStore
    /// The same on another connection, as another app would have one.
    let bystander: SecretServiceRecordStore
    private(set) var findings: [Finding] = []

    /// When a call that begins now has to end.
    var deadline: Deadline { .after(options.timeout) }

    init(
        _ options: AuthApp.Options,
        _ collection: RecordCollection = .standard,
        on secretService: SecretService.Configuration = .init()
    ) {
        self.options = options
        var configuration = secretService
        configuration.timeout = options.timeout
        service = SecretService(configuration)
        store = SecretServiceRecordStore(service, collection: collection)
        bystander = SecretServiceRecordStore(SecretService(configuration), collection: collection)
    }

    /// Looks at everything that can be looked at.
    mutating func run() {
        let identity = checkIdentity()
        checkSandbox()
        checkClock()
        checkStateDirectory()
        let app = identity.flatMap { try? AppInspection($0, options, store: store) }
        let group = app.flatMap { checkChoice(of: $0) }
        guard checkBus(), let daemon = checkDaemon() else { return }
        if let app { checkChange(of: app, to: daemon) }
        checkDurability(of: daemon)
        guard let collection = checkCollection() else { return }
        let isUnlocked = checkLock(of: collection)
        if isUnlocked, let app {
            checkRecords(of: app, in: group, on: store)
            checkSetAside(of: app, in: group)
            checkIssuers(of: app, in: group)
        }
        if let app { checkHolders(of: app, in: group) }
        guard let identity else { return }
        checkLocks(for: identity)
        if isUnlocked { probe(for: identity) }
    }

    /// Looks at everything that matters where users are kept in encrypted files.
    mutating func run(on files: EncryptedFileRecordStore) {
        let identity = checkIdentity()
        checkClock()
        checkStateDirectory()
        guard let identity else { return }
        if let app = try? AppInspection(identity, options, store: files) {
            let group = checkChoice(of: app)
            checkRecords(of: app, in: group, on: files)
            checkSetAside(of: app, in: group)
            checkIssuers(of: app, in: group)
            checkHolders(of: app, in: group)
        }
        probe(
            for: identity,
            in: files,
            watchedBy: files,
            remedy: "Check that the other apps use the same directory and key, and that no other user can read them."
        )
    }

    /// Notes what a check found.
    mutating func note(_ finding: Finding) {
        findings.append(finding)
    }

    /// The status of the first bad finding, which is the cause of those after it; 0 when none is bad.
    var status: ExitCode {
        findings.first { $0.verdict == .bad }?.status ?? .success
    }

    /// A key that no user has, nor any other run.
    static func probeKey(for identity: AppIdentity, _ options: AuthApp.Options) -> RecordKey {
        RecordKey(
            scope: .app(identity.appID),
            project: options.project,
            instance: AuthApp.defaultName,
            kind: "probe.\(String(UInt64.random(in: .min ... .max), radix: 16))"
        )
    }

    /// What is wrong: of a keyring that does not answer not the name of the request that was under way.
    static func message(of error: SecretServiceError) -> String {
        error.code == .timedOut && error.circumstance == nil ? "The keyring does not answer." : error.message
    }

    /// What to do about an error of the Secret Service.
    static func remedy(for error: SecretServiceError) -> String {
        switch error.code {
        case .noSessionBus, .busClosed:
            return "Run in a desktop session, or under dbus-run-session."
        case .noDaemon, .denied:
            let start = "Install and start GNOME Keyring, KWallet or KeePassXC."
            return Sandbox.current.map { "\(start) \($0.missing(.secrets))" } ?? start
        case .noDefaultCollection, .noSuchCollection:
            return "Create a keyring in the keyring application and make it the default."
        case .locked, .dismissed:
            return "Unlock the keyring in the keyring application, or log in with a password."
        case .timedOut:
            return "Restart the keyring daemon."
        default:
            return "Look at the keyring daemon's log."
        }
    }

    /// The status with which the tool ends because of an error of the Secret Service.
    static func status(for error: SecretServiceError) -> ExitCode {
        switch error.code {
        case .noSessionBus, .busClosed, .noDaemon, .noDefaultCollection, .noSuchCollection: .unavailable
        case .locked, .timedOut: .tryAgain
        case .denied, .dismissed: .refused
        default: .software
        }
    }
}
