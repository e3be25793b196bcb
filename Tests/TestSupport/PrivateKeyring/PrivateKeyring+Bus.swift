internal import Glibc
internal import Synchronization

extension PrivateKeyring {
    /// Starts a bus at the address; done by `init`, and of use again after ``killBus()``.
    package func startBus() throws {
        let ready = try SocketPair()
        defer { close(ready.ours) }
        let log = try Files.open("\(directory)/bus.log", O_WRONLY | O_CREAT | O_APPEND)
        defer { close(log) }
        let arguments = ["--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"]
        let bus = try ChildProcess(
            ["dbus-daemon"] + arguments,
            environment: environment,
            group: guardian.group,
            streams: .init(output: ready.theirs, error: log)
        )
        close(ready.theirs)
        processes.withLock { $0.bus = bus }
        // It prints its address once it listens; the end of the file means that it is dead.
        var byte: UInt8 = 0
        guard unsafe read(ready.ours, &byte, 1) == 1 else {
            throw PrivateKeyringError("the bus did not start: \(try Files.read("\(directory)/bus.log"))")
        }
    }

    /// Kills the bus with SIGKILL and returns when it is gone; the provider follows it.
    package func killBus() {
        let (bus, provider) = processes.withLock { processes in
            defer { (processes.bus, processes.provider) = (nil, nil) }
            return (processes.bus, processes.provider)
        }
        bus?.end()
        provider?.end()
    }
}

extension PrivateKeyring {
    /// Stops the bus in its tracks: connections are accepted by the kernel and nothing is answered.
    package func stopBus() {
        processes.withLock(\.bus)?.stop()
    }

    /// Lets a stopped bus go on.
    package func continueBus() {
        processes.withLock(\.bus)?.signal(SIGCONT)
    }
}
