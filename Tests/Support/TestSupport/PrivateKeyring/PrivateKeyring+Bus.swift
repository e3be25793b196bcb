internal import Glibc
internal import Synchronization

extension PrivateKeyring {
    /// The program that starts the bus: dbus-daemon, or the launcher of dbus-broker if `SHAREDAUTH_TEST_BUS` is
    /// `dbus-broker`.
    static let busProgram: String = {
        let bus = unsafe getenv("SHAREDAUTH_TEST_BUS").map { unsafe String(cString: $0) } ?? "dbus-daemon"
        return bus == "dbus-broker" ? "dbus-broker-launch" : bus
    }()

    /// Starts a bus at the address. `init` calls this; call it again after ``killBus()``.
    package func startBus() throws {
        let log = try Files.open("\(directory)/bus.log", O_WRONLY | O_CREAT | O_APPEND)
        defer { close(log) }
        let bus = try Self.busProgram == "dbus-daemon" ? startDBusDaemon(log: log) : startDBusBroker(log: log)
        processes.withLock { $0.bus = bus }
    }

    private func startDBusDaemon(log: Int32) throws -> ChildProcess {
        let ready = try SocketPair()
        defer { close(ready.ours) }
        let arguments = ["--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"]
        let bus = try ChildProcess(
            DebianRoots.command(["dbus-daemon"] + arguments),
            environment: environment,
            group: guardian.group,
            streams: .init(output: ready.theirs, error: log)
        )
        close(ready.theirs)
        // The bus prints its address once it listens. The end of the file means that it has died.
        var byte: UInt8 = 0
        guard unsafe read(ready.ours, &byte, 1) == 1 else {
            throw PrivateKeyringError("the bus did not start: \(try Files.read("\(directory)/bus.log"))")
        }
        return bus
    }

    /// Kills the bus with SIGKILL and returns when it is gone. The daemon is killed too.
    package func killBus() {
        let (bus, daemon) = processes.withLock { processes in
            defer { (processes.bus, processes.daemon) = (nil, nil) }
            return (processes.bus, processes.daemon)
        }
        bus?.end()
        daemon?.end()
    }
}

extension PrivateKeyring {
    /// Suspends the bus: the kernel accepts connections, but nothing is answered.
    package func stopBus() {
        processes.withLock(\.bus)?.stop()
    }

    /// Resumes a suspended bus.
    package func continueBus() {
        processes.withLock(\.bus)?.signal(SIGCONT)
    }
}

extension PrivateKeyring {
    /// Limits the number of rules that select signals of one connection, from now on. The bus must be dbus-daemon.
    package func limitMatchRules(to limit: Int) throws {
        let configuration = Self.busConfiguration(
            socket: "\(directory)/bus",
            services: "\(directory)/services",
            mostMatchRules: limit
        )
        try Files.write(configuration, to: "\(directory)/bus.conf")
        let bus = "org.freedesktop.DBus"
        let call = ["call", "--session", "-d", bus, "-o", "/org/freedesktop/DBus", "-m", "\(bus).ReloadConfig"]
        let result = try run("gdbus", call)
        guard result.status == 0 else { throw PrivateKeyringError("no reload: \(result.standardError)") }
    }
}

extension PrivateKeyring {
    /// Returns the configuration of a bus that allows everything except owning names below `denied.example`, and starts
    /// the services of the directory `services`, which is empty at first.
    ///
    /// - Parameter admitsOthers: Whether other users may connect, unlike to a session bus.
    static func busConfiguration(
        socket: String,
        services: String,
        mostMatchRules: Int = 50_000,
        admitsOthers: Bool = true
    ) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(socket)</listen>
          <auth>EXTERNAL</auth>
          <servicedir>\(services)</servicedir>
          <policy context="default">
            \(admitsOthers ? "<allow user=\"*\"/>" : "")
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
            <deny own_prefix="denied.example"/>
          </policy>
          <limit name="max_replies_per_connection">50000</limit>
          <limit name="max_match_rules_per_connection">\(mostMatchRules)</limit>
          <limit name="max_completed_connections">10000</limit>
          <limit name="max_connections_per_user">10000</limit>
        </busconfig>
        """
    }
}
