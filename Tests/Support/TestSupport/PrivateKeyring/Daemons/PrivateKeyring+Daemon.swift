internal import Dispatch
internal import Glibc
internal import SecretService
internal import Synchronization

extension PrivateKeyring {
    /// The password of the keyring.
    package static let password = "a private password"

    /// Starts the daemon and returns when it replies, with its default collection if it has one.
    ///
    /// The first start of GNOME Keyring with `unlocked` makes the default collection. Throws if the daemon has no
    /// locked state and `unlocked` is false.
    package func startDaemon(unlocked: Bool) throws {
        switch kind {
        case .gnomeKeyring: try startGNOMEKeyring(unlocked: unlocked)
        case .keePassXC: try startKeePassXC(unlocked: unlocked)
        case .kWallet: try startKWallet(unlocked: unlocked)
        case .passSecretService: try startPassSecretService(unlocked: unlocked)
        }
    }

    /// Kills the daemon and starts another one.
    package func restartDaemon(unlocked: Bool = true) throws {
        try killDaemon()
        try startDaemon(unlocked: unlocked)
    }

    /// Kills the daemon with SIGKILL and returns when its bus name is free.
    package func killDaemon() throws {
        try endDaemon(by: SIGKILL)
    }

    /// Sends the daemon SIGTERM, as a logout does, and returns when its bus name is free.
    package func terminateDaemon() throws {
        try endDaemon(by: SIGTERM)
    }

    private func endDaemon(by signal: Int32) throws {
        let daemon = processes.withLock { processes in
            defer { processes.daemon = nil }
            return processes.daemon
        }
        daemon?.signal(signal)
        daemon?.wait()
        try waitFor("the daemon to be gone") { try !isDaemonPresent() }
    }

    /// Suspends the daemon: it keeps its bus name and replies to no call.
    package func stopDaemon() {
        processes.withLock(\.daemon)?.stop()
    }

    /// Resumes a suspended daemon.
    package func continueDaemon() {
        processes.withLock(\.daemon)?.signal(SIGCONT)
    }

    /// Locks the default collection.
    package func lock() throws {
        try service.lock([service.defaultCollection()])
    }

    /// Unlocks the default collection without any of the programs under test.
    package func unlock() throws {
        switch kind {
        case .kWallet: try unlockKWallet()
        case .gnomeKeyring: try unlockGNOMEKeyring()
        case .keePassXC, .passSecretService:
            throw PrivateKeyringError("\(kind.rawValue) is unlocked by the user, or never locked")
        }
        try awaitDefaultCollection(locked: false)
    }

    /// Returns the daemon's standard output and error, including those of earlier starts.
    package func daemonLog() throws -> String { try Files.read("\(directory)/daemon.log") }

    /// Starts the daemon's process, with a text on its standard input, with more environment variables, and with these
    /// files as its descriptors 3, 4 and so on.
    func spawnDaemon(
        _ arguments: [String],
        input: String = "",
        adding variables: [String: String] = [:],
        files: [Int32] = []
    ) throws {
        let pipe = try SocketPair()
        let log = try Files.open("\(directory)/daemon.log", O_WRONLY | O_CREAT | O_APPEND)
        defer { close(log) }
        let daemon = try ChildProcess(
            DebianRoots.command(arguments),
            environment: environment.merging(variables) { $1 },
            group: guardian.group,
            streams: .init(input: pipe.theirs, output: log, error: log, others: files)
        )
        close(pipe.theirs)
        processes.withLock { $0.daemon = daemon }
        try Files.write(Array(input.utf8), to: pipe.ours)
        close(pipe.ours)
    }

    /// Waits until the daemon owns its name.
    func awaitDaemon() throws {
        try waitFor("the daemon to be there") { try isDaemonPresent() }
    }

    /// Waits until there is a default collection in this state.
    func awaitDefaultCollection(locked: Bool) throws {
        try waitFor("a default collection that is \(locked ? "locked" : "unlocked")") {
            do {
                return try service.defaultCollection().isLocked() == locked
            } catch let error as SecretServiceError {
                switch error.code {
                case .noDaemon, .noDefaultCollection, .noSuchCollection: return false
                default: throw error
                }
            }
        }
    }

    /// Waits until a condition is true. Evaluates it now and whenever the daemon reports a change.
    func waitFor(_ what: String, _ condition: () throws -> Bool) throws {
        let happened = DispatchSemaphore(value: 0)
        let watch = try service.watch { _ in happened.signal() }
        defer { watch.cancel() }
        let end = DispatchTime.now() + 120
        while try !condition() {
            guard happened.wait(timeout: end) == .success else {
                throw PrivateKeyringError("waited for \(what) until the deadline: \(try daemonLog())")
            }
        }
    }

    private func isDaemonPresent() throws -> Bool { try presentDaemon() != nil }

    /// Returns the daemon, or nil if there is none.
    func presentDaemon() throws -> KeyringDaemon? {
        do {
            return try service.daemon()
        } catch SecretServiceError.Code.noDaemon {
            return nil
        }
    }
}

/// A program that provides the Secret Service; its raw value is its usual name.
package enum DaemonKind: String, Sendable, CaseIterable {
    /// `gnome-keyring-daemon`, which is always available for tests.
    case gnomeKeyring = "GNOME Keyring"
    /// `keepassxc`, with its own database and without a display.
    case keePassXC = "KeePassXC"
    /// `ksecretd`, `kwalletd6` or `kwalletd5`, depending on the installation, with its Secret Service enabled.
    case kWallet = "KWallet"
    /// `pass_secret_service`, over the files of pass, the standard Unix password manager.
    case passSecretService = "pass-secret-service"

    /// The system's name of the process.
    package var programName: String {
        switch self {
        case .gnomeKeyring: "gnome-keyring-daemon"
        case .keePassXC: "keepassxc"
        case .kWallet: (WalletProgram.installed ?? .kwalletd5).rawValue
        // A script has the name of its interpreter.
        case .passSecretService: "python3"
        }
    }

    /// The programs that it needs.
    var programs: [String] {
        switch self {
        case .gnomeKeyring: ["gnome-keyring-daemon"]
        case .keePassXC: ["keepassxc", "keepassxc-cli"]
        case .kWallet: [programName, "gdbus"]
        case .passSecretService: ["pass_secret_service", "pass", "gpg"]
        }
    }

    /// The first of its programs that is not installed, or nil if all are installed.
    package var missingProgram: String? {
        programs.first { Programs.path(of: $0) == nil }
    }
}
