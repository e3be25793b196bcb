internal import Glibc
internal import SecretService
internal import Synchronization

/// A private message bus and Secret Service daemon for a test, in a temporary home.
///
/// The user's keyring is not touched, any number of fixtures can run in one process, and nothing of them outlives the
/// process, however it ends. Calls block. Waits are for events, and those for the daemon fail after a time.
package final class PrivateKeyring: Sendable {
    /// The state when the fixture is ready.
    package enum State: Sendable {
        /// A daemon with an unlocked default collection.
        case unlocked
        /// A daemon with a locked default collection.
        case locked
        /// A daemon whose default collection is unlocked, and which prompts the user before a program reads an item
        /// that it did not make: KeePassXC's default.
        case confirming
        /// A daemon whose default collection is unlocked, and which prompts the user before it locks unsaved changes,
        /// as KeePassXC can be configured to.
        case askingToSave
        /// A daemon that has no default collection.
        case noDefaultCollection
        /// A bus without a Secret Service.
        case noDaemon
    }

    struct Processes {
        var bus: ChildProcess?
        var daemon: ChildProcess?
        var others: [ChildProcess] = []
        var runs = 0
        var isShutDown = false
    }

    /// The directory that contains everything.
    package let directory: String
    /// The D-Bus address of the bus.
    package let busAddress: String
    /// The whole environment for processes that run inside.
    package let environment: [String: String]
    /// The home directory.
    package var home: String { "\(directory)/home" }

    /// The daemon's kind.
    package let kind: DaemonKind

    let guardian: Guardian
    let service: SecretService
    let processes = Mutex(Processes())

    /// Keyrings for tests that do not disturb them; each test uses its own project.
    package static let shared = SharedKeyrings()

    /// Starts the bus and the daemon.
    package init(_ kind: DaemonKind = .gnomeKeyring, state: State = .unlocked) throws {
        OwnThreads.watched
        self.kind = kind
        for program in [Self.busProgram] + (state == .noDaemon ? [] : kind.programs) { try Programs.require(program) }
        directory = try Self.makeDirectory()
        busAddress = "unix:path=\(directory)/bus"
        environment = Self.environment(in: directory, busAddress: busAddress)
        guardian = try Guardian(directory: directory)
        var serviceConfiguration = SecretService.Configuration(busAddress: .address(busAddress), timeout: .seconds(60))
        // KWallet completes its prompt without the user once the wallet is open.
        serviceConfiguration.hasDisplay = true
        service = SecretService(serviceConfiguration)
        let configuration = Self.busConfiguration(socket: "\(directory)/bus", services: "\(directory)/services")
        try Files.write(configuration, to: "\(directory)/bus.conf")
        try startBus()
        try prepare(for: state)
        switch state {
        case .noDaemon:
            break
        case .noDefaultCollection:
            try startDaemon(unlocked: false)
        case .unlocked, .confirming, .askingToSave:
            try startDaemon(unlocked: true)
        case .locked where kind == .gnomeKeyring:
            // The first start makes the keyring.
            try startDaemon(unlocked: true)
            try killDaemon()
            try startDaemon(unlocked: false)
        case .locked:
            try startDaemon(unlocked: false)
        }
    }

    /// Makes the files that must exist before the daemon starts.
    private func prepare(for state: State) throws {
        switch kind {
        case _ where state == .noDaemon: break
        case .gnomeKeyring: break
        case .keePassXC: try prepareKeePassXC(for: state)
        case .kWallet: try prepareKWallet()
        case .passSecretService: try preparePassSecretService()
        }
    }

    deinit {
        shutdown()
    }

    /// Ends all processes and removes the directory. Does nothing the second time.
    package func shutdown() {
        let children: [ChildProcess]? = processes.withLock { processes in
            guard !processes.isShutDown else { return nil }
            processes.isShutDown = true
            return [processes.bus, processes.daemon].compactMap { $0 } + processes.others
        }
        guard let children else { return }
        guardian.end()
        for child in children {
            child.wait()
        }
    }
}

extension PrivateKeyring {
    /// Runs a program inside, with `input` on its standard input, and waits until it ends. After `limit`, prints what
    /// its threads do, and kills it.
    package func run(
        _ executable: String,
        _ arguments: [String],
        input: String = "",
        limit: Duration = .seconds(300)
    ) throws -> ProcessResult {
        let number = processes.withLock { processes in
            processes.runs += 1
            return processes.runs
        }
        return try ProcessResult(
            of: DebianRoots.command([executable] + arguments),
            environment: environment,
            group: guardian.group,
            input: input,
            files: "\(directory)/run-\(number)",
            limit: limit
        )
    }

    /// Starts a program inside and returns immediately. ``shutdown()`` kills it if it still runs.
    ///
    /// Its standard output goes to `output`, a file descriptor of the caller, or nowhere. Its standard input is
    /// `input`, if there is one.
    package func start(
        _ executable: String,
        _ arguments: [String],
        input: Int32? = nil,
        output: Int32? = nil
    ) throws -> ChildProcess {
        let child = try ChildProcess(
            DebianRoots.command([executable] + arguments),
            environment: environment,
            group: guardian.group,
            streams: .init(input: input, output: output)
        )
        processes.withLock { $0.others.append(child) }
        return child
    }
}

extension PrivateKeyring {
    static func makeDirectory() throws -> String {
        // In memory where possible: nothing here outlives the tests, and both the daemon and the library wait for the
        // disk at every write.
        let root = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(root)/private-keyring-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw PrivateKeyringError("no temporary directory: error \(errno)")
        }
        let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        for folder in ["", "/home", "/config", "/data", "/cache", "/state", "/runtime", "/services"] {
            _ = unsafe mkdir(directory + folder, 0o700)
        }
        return directory
    }

    static func environment(in directory: String, busAddress: String) -> [String: String] {
        // A sanitizer's options and the choice of Tests/Scripts/mutations apply to the processes inside too.
        let names = ["ASAN_OPTIONS", "LSAN_OPTIONS", "SHAREDAUTH_MUTANT", "TSAN_OPTIONS"]
        let passed = names.compactMap { (name: String) in
            unsafe getenv(name).map { value in (name, unsafe String(cString: value)) }
        }
        let ours = [
            "DBUS_SESSION_BUS_ADDRESS": busAddress,
            "HOME": "\(directory)/home",
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            // Programs with windows show none. KeePassXC runs once per user and directory for temporary files.
            "QT_QPA_PLATFORM": "offscreen",
            "TMPDIR": "\(directory)/runtime",
            "XDG_CACHE_HOME": "\(directory)/cache",
            "XDG_CONFIG_HOME": "\(directory)/config",
            "XDG_DATA_HOME": "\(directory)/data",
            "XDG_RUNTIME_DIR": "\(directory)/runtime",
            "XDG_STATE_HOME": "\(directory)/state",
        ]
        return ours.merging(passed) { ours, _ in ours }
    }
}

/// The reason why the fixture could not do its work.
package struct PrivateKeyringError: Error, CustomStringConvertible {
    /// The failure, in words.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
