internal import Dispatch
internal import Glibc
internal import SecretService
internal import Synchronization

extension PrivateKeyring {
    /// The password of the keyring.
    public static let password = "a private password"

    /// Starts GNOME Keyring and returns when it answers; the first start with `unlocked` makes the default collection.
    public func startProvider(unlocked: Bool) throws {
        let input = try Pipe()
        let log = try Files.open("\(directory)/provider.log", O_WRONLY | O_CREAT | O_APPEND)
        defer { close(log) }
        let arguments = ["--foreground", "--components=secrets"] + (unlocked ? ["--unlock"] : [])
        let provider = try ChildProcess(
            ["gnome-keyring-daemon"] + arguments,
            environment: environment,
            group: guardian.group,
            streams: .init(input: input.reading, output: log, error: log)
        )
        close(input.reading)
        processes.withLock { $0.provider = provider }
        try Files.write(Array(Self.password.utf8), to: input.writing)
        close(input.writing)
        try awaitProvider(present: true)
    }

    /// Kills the provider with SIGKILL and returns when nobody owns its bus name.
    public func killProvider() throws {
        let provider = processes.withLock { processes in
            defer { processes.provider = nil }
            return processes.provider
        }
        provider?.end()
        try awaitProvider(present: false)
    }

    /// Stops the provider in its tracks: it keeps its bus name and answers nobody.
    public func stopProvider() {
        processes.withLock(\.provider)?.stop()
    }

    /// Lets a stopped provider go on.
    public func continueProvider() {
        processes.withLock(\.provider)?.signal(SIGCONT)
    }

    /// Locks the default collection.
    public func lock() throws {
        try service.lock([service.defaultCollection()])
    }

    private func awaitProvider(present: Bool) throws {
        let happened = DispatchSemaphore(value: 0)
        let watch = try service.watch { change in
            switch change {
            case .providerAppeared where present: happened.signal()
            case .providerVanished where !present: happened.signal()
            case .busClosed: happened.signal()
            default: break
            }
        }
        defer { watch.cancel() }
        if try isProviderPresent() == present { return }
        guard happened.wait(timeout: .now() + 10) == .success, try isProviderPresent() == present else {
            throw PrivateKeyringError(
                "the provider is not \(present ? "there" : "gone"): \(try Files.read("\(directory)/provider.log"))"
            )
        }
    }

    private func isProviderPresent() throws -> Bool {
        do {
            _ = try service.provider()
            return true
        } catch SecretServiceError.Code.noProvider {
            return false
        }
    }
}
