internal import Dispatch
internal import Glibc
internal import SecretService
internal import Synchronization

extension PrivateKeyring {
    /// The password of the keyring.
    package static let password = "a private password"

    /// Starts the provider and returns when it answers, with its default collection where there is one.
    ///
    /// The first start of GNOME Keyring with `unlocked` makes the default collection. Throws if a locked state was asked
    /// for that the provider does not have.
    package func startProvider(unlocked: Bool) throws {
        switch kind {
        case .gnomeKeyring: try startGNOMEKeyring(unlocked: unlocked)
        case .keePassXC: try startKeePassXC(unlocked: unlocked)
        case .kWallet: try startKWallet(unlocked: unlocked)
        case .passSecretService: try startPassSecretService(unlocked: unlocked)
        }
    }

    /// Kills the provider with SIGKILL and returns when nobody owns its bus name.
    package func killProvider() throws {
        try endProvider(by: SIGKILL)
    }

    /// Asks the provider to end, as a logout does, and returns when nobody owns its bus name.
    package func terminateProvider() throws {
        try endProvider(by: SIGTERM)
    }

    private func endProvider(by signal: Int32) throws {
        let provider = processes.withLock { processes in
            defer { processes.provider = nil }
            return processes.provider
        }
        provider?.signal(signal)
        provider?.wait()
        try waitFor("the provider to be gone") { try !isProviderPresent() }
    }

    /// Stops the provider in its tracks: it keeps its bus name and answers nobody.
    package func stopProvider() {
        processes.withLock(\.provider)?.stop()
    }

    /// Lets a stopped provider go on.
    package func continueProvider() {
        processes.withLock(\.provider)?.signal(SIGCONT)
    }

    /// Locks the default collection.
    package func lock() throws {
        try service.lock([service.defaultCollection()])
    }

    /// Unlocks the default collection without any of the programs under test.
    package func unlock() throws {
        switch kind {
        case .kWallet: try unlockKWallet()
        case .gnomeKeyring, .keePassXC, .passSecretService:
            throw PrivateKeyringError("\(kind.rawValue) is unlocked by a person, or never locked")
        }
        try awaitDefaultCollection(locked: false)
    }

    /// What the provider has written to its standard output and error, also before it was last started.
    package func providerLog() throws -> String { try Files.read("\(directory)/provider.log") }

    /// Starts the provider's process, with a text on its standard input.
    func spawnProvider(_ arguments: [String], input: String = "") throws {
        let pipe = try SocketPair()
        let log = try Files.open("\(directory)/provider.log", O_WRONLY | O_CREAT | O_APPEND)
        defer { close(log) }
        let provider = try ChildProcess(
            arguments,
            environment: environment,
            group: guardian.group,
            streams: .init(input: pipe.theirs, output: log, error: log)
        )
        close(pipe.theirs)
        processes.withLock { $0.provider = provider }
        try Files.write(Array(input.utf8), to: pipe.ours)
        close(pipe.ours)
    }

    /// Waits until the provider owns its name.
    func awaitProvider() throws {
        try waitFor("the provider to be there") { try isProviderPresent() }
    }

    /// Waits until there is a default collection in this state.
    func awaitDefaultCollection(locked: Bool) throws {
        try waitFor("a default collection that is \(locked ? "locked" : "unlocked")") {
            do {
                return try service.defaultCollection().isLocked() == locked
            } catch let error as SecretServiceError {
                switch error.code {
                case .noProvider, .noDefaultCollection, .noSuchCollection: return false
                default: throw error
                }
            }
        }
    }

    /// Waits until a condition holds, looking at it now and whenever the provider says that something changed.
    func waitFor(_ what: String, _ condition: () throws -> Bool) throws {
        let happened = DispatchSemaphore(value: 0)
        let watch = try service.watch { _ in happened.signal() }
        defer { watch.cancel() }
        let end = DispatchTime.now() + 30
        while try !condition() {
            guard happened.wait(timeout: end) == .success else {
                throw PrivateKeyringError("waited in vain for \(what): \(try providerLog())")
            }
        }
    }

    private func isProviderPresent() throws -> Bool { try presentProvider() != nil }

    /// The provider; nil if there is none.
    func presentProvider() throws -> SecretServiceProvider? {
        do {
            return try service.provider()
        } catch SecretServiceError.Code.noProvider {
            return nil
        }
    }
}

/// A program that provides the Secret Service; its raw value is what people call it.
package enum ProviderKind: String, Sendable, CaseIterable {
    /// `gnome-keyring-daemon`, which is always there to test with.
    case gnomeKeyring = "GNOME Keyring"
    /// `keepassxc`, with its own database and without a display.
    case keePassXC = "KeePassXC"
    /// `kwalletd5`, with its Secret Service enabled.
    case kWallet = "KWallet"
    /// `pass_secret_service`, over the files of pass, the standard Unix password manager.
    case passSecretService = "pass-secret-service"

    /// The programs that it takes.
    var programs: [String] {
        switch self {
        case .gnomeKeyring: ["gnome-keyring-daemon"]
        case .keePassXC: ["keepassxc", "keepassxc-cli"]
        case .kWallet: ["kwalletd5", "gdbus"]
        case .passSecretService: ["pass_secret_service", "pass", "gpg"]
        }
    }

    /// The first of its programs that is not installed; nil if all are.
    package var missingProgram: String? {
        programs.first { Programs.path(of: $0) == nil }
    }
}
