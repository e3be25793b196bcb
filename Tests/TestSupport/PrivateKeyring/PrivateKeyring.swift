internal import Glibc
internal import SecretService
internal import Synchronization

/// A message bus and a provider of the Secret Service of a test's own, in a temporary home.
///
/// Nobody's keyring is touched, any number of them can run in one process, and nothing of them outlives the process,
/// however it ends. Calls block; every wait is for an event and fails in the end.
package final class PrivateKeyring: Sendable {
    /// What there is when the fixture is ready.
    package enum State: Sendable {
        /// A provider with an unlocked default collection.
        case unlocked
        /// A provider with a locked default collection.
        case locked
        /// A provider whose default collection is unlocked, and which asks the person before a program reads an item that
        /// it did not make: KeePassXC's default.
        case confirming
        /// A provider that has no default collection.
        case noDefaultCollection
        /// A bus on which nobody is the Secret Service.
        case noProvider
    }

    struct Processes {
        var bus: ChildProcess?
        var provider: ChildProcess?
        var others: [ChildProcess] = []
        var runs = 0
        var isShutDown = false
    }

    /// The directory with everything in it.
    package let directory: String
    /// The D-Bus address of the bus.
    package let busAddress: String
    /// The whole environment for processes that are to run inside.
    package let environment: [String: String]
    /// The home directory.
    package var home: String { "\(directory)/home" }

    /// Which provider it is.
    package let kind: ProviderKind

    let guardian: Guardian
    let service: SecretService
    let processes = Mutex(Processes())

    /// Starts it.
    package init(_ kind: ProviderKind = .gnomeKeyring, state: State = .unlocked) throws {
        self.kind = kind
        directory = try Self.makeDirectory()
        busAddress = "unix:path=\(directory)/bus"
        environment = Self.environment(in: directory, busAddress: busAddress)
        guardian = try Guardian(directory: directory)
        var serviceConfiguration = SecretService.Configuration(busAddress: .address(busAddress), timeout: .seconds(10))
        // KWallet completes its prompt by itself once the wallet is open.
        serviceConfiguration.hasDisplay = true
        service = SecretService(serviceConfiguration)
        let configuration = Self.busConfiguration(socket: "\(directory)/bus", services: "\(directory)/services")
        try Files.write(configuration, to: "\(directory)/bus.conf")
        try startBus()
        try prepare(for: state)
        switch state {
        case .noProvider:
            break
        case .noDefaultCollection:
            try startProvider(unlocked: false)
        case .unlocked, .confirming:
            try startProvider(unlocked: true)
        case .locked where kind == .gnomeKeyring:
            // The first start makes the keyring.
            try startProvider(unlocked: true)
            try killProvider()
            try startProvider(unlocked: false)
        case .locked:
            try startProvider(unlocked: false)
        }
    }

    /// Makes what has to be there before the provider starts.
    private func prepare(for state: State) throws {
        switch kind {
        case _ where state == .noProvider: break
        case .gnomeKeyring: break
        case .keePassXC: try prepareKeePassXC(confirming: state == .confirming)
        case .kWallet: try prepareKWallet()
        case .passSecretService: try preparePassSecretService()
        }
    }

    deinit {
        shutdown()
    }

    /// Ends all processes and removes the directory; does nothing the second time.
    package func shutdown() {
        let children: [ChildProcess]? = processes.withLock { processes in
            guard !processes.isShutDown else { return nil }
            processes.isShutDown = true
            return [processes.bus, processes.provider].compactMap { $0 } + processes.others
        }
        guard let children else { return }
        guardian.end()
        for child in children {
            child.wait()
        }
    }
}
