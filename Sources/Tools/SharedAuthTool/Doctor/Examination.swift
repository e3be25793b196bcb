internal import ArgumentParser
internal import CommandLineSupport
internal import EncryptedFiles
internal import SecretService
internal import SharedAuth

/// The state of all checks, and their findings so far, from the ground up.
///
/// A check that is impossible because an earlier one failed is omitted.
struct Examination {
    /// The app's options, as the other verbs use them.
    let options: AuthApp.Options
    /// The Secret Service on a separate connection.
    let service: SecretService
    /// The record store on that connection.
    let store: SecretServiceRecordStore
    /// The same store on another connection, like that of another app.
    let bystander: SecretServiceRecordStore
    private(set) var findings: [Finding] = []

    /// The deadline of a call that starts now.
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

    /// Runs every possible check.
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
        checkSiblings(of: daemon)
        guard let collection = checkCollection() else { return }
        let isUnlocked = checkLock(of: collection)
        if isUnlocked, let app {
            checkRecords(of: app, in: group, on: store)
            checkReplacement(of: app, in: group)
            checkMachine(of: app, in: group)
            checkDates(of: app, in: group)
            checkSessions(of: app, in: group)
            checkSetAside(of: app, in: group)
            checkIssuers(of: app, in: group)
        }
        if let app { checkHolders(of: app, in: group) }
        guard let identity else { return }
        checkLocks(for: identity)
        if isUnlocked { probe(for: identity) }
    }

    /// Runs the checks for a store of encrypted files.
    mutating func run(on files: EncryptedFileRecordStore) {
        let identity = checkIdentity()
        checkClock()
        checkStateDirectory()
        guard let identity else { return }
        if let app = try? AppInspection(identity, options, store: files) {
            let group = checkChoice(of: app)
            checkRecords(of: app, in: group, on: files)
            checkMachine(of: app, in: group)
            checkDates(of: app, in: group)
            checkSessions(of: app, in: group)
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

    /// Adds a finding.
    mutating func note(_ finding: Finding) {
        findings.append(finding)
    }

    /// The status of the first bad finding, which is the cause of those after it; 0 if there are no bad ones.
    var status: ExitCode {
        findings.first { $0.verdict == .bad }?.status ?? .success
    }

    /// Returns a key that neither a user nor another run has.
    static func probeKey(for identity: AppIdentity, _ options: AuthApp.Options) -> RecordKey {
        RecordKey(
            scope: .app(identity.appID),
            project: options.project,
            instance: AuthApp.defaultName,
            kind: "probe.\(String(UInt64.random(in: .min ... .max), radix: 16))"
        )
    }

    /// Returns the message of an error. If the keyring does not reply, the message does not name the pending request.
    static func message(of error: SecretServiceError) -> String {
        error.code == .timedOut && error.circumstance == nil ? "The keyring does not answer." : error.message
    }

    /// Returns the remedy for an error of the Secret Service.
    static func remedy(for error: SecretServiceError) -> String {
        if [.refusingBus, .livingBus, .unloadedFile].contains(error.circumstance), let remedy = error.remedy {
            return remedy
        }
        switch error.code {
        case .noSessionBus, .busClosed:
            return "Run in a desktop session, or with its bus in DBUS_SESSION_BUS_ADDRESS; where there is no desktop, "
                + "use --store file."
        case .noDaemon, .denied:
            let start = Desktop.current.keyringRemedy
            return Sandbox.current.map { "\(start) \($0.missing(.secrets))" } ?? start
        case .noDefaultCollection, .noSuchCollection:
            return "Create a keyring in the keyring application and make it the default."
        case .locked, .dismissed:
            return "Unlock the keyring in the keyring application, or log in with a password."
        case .timedOut:
            return "Restart the keyring daemon."
        default:
            return "Check the keyring daemon's log."
        }
    }

    /// Returns the exit status for an error of the Secret Service.
    static func status(for error: SecretServiceError) -> ExitCode {
        switch error.code {
        case .noSessionBus, .busClosed, .noDaemon, .noDefaultCollection, .noSuchCollection: .unavailable
        case .locked, .timedOut: .tryAgain
        case .denied, .dismissed: .refused
        default: .software
        }
    }
}
