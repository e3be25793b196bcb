import Glibc
import TestSupport
import Testing

@testable import SecretService

/// Tests that the kind of a keyring daemon is determined by the bus names that it owns.
struct DaemonKindTests {
    @Test(
        "A daemon has the kind whose bus name it owns, with that kind's properties",
        arguments: [
            ("org.gnome.keyring", KeyringDaemon.Kind.gnomeKeyring), ("org.kde.kwalletd5", .kWallet),
            ("org.kde.kwalletd6", .kWallet), ("org.kde.ksecretd", .kWallet),
            ("org.keepassxc.KeePassXC.MainWindow", .keePassXC),
        ]
    )
    func kinds(_ name: String, _ kind: KeyringDaemon.Kind) throws {
        let scripted = try ScriptedDaemon("owning=\(name)")
        let daemon = try scripted.makeService().daemon()
        #expect(daemon.kind == kind)
        let isGNOME = kind == .gnomeKeyring
        #expect(daemon.isDurable == isGNOME)
        #expect(daemon.searchesSilently == isGNOME)
        #expect(daemon.keepsAttributes == isGNOME)
        #expect(daemon.survivesDismissal == !isGNOME)
        // The real program is the test's; messages show the kind's program.
        #expect(daemon.executableName == "TestDaemon")
        #expect(daemon.programName == kind.program)
    }

    @Test("Nothing is assumed about a daemon of unknown kind, whatever its program")
    func unknown() throws {
        let scripted = try ScriptedDaemon("owning=org.example.Other")
        let daemon = try scripted.makeService().daemon()
        #expect(daemon.kind == .other("TestDaemon"))
        for daemon in [daemon, KeyringDaemon(of: .other("keepassxc")), KeyringDaemon(of: .other("gnome-keyring-d"))] {
            #expect(daemon.isDurable == nil)
            #expect(!daemon.searchesSilently)
            #expect(!daemon.survivesDismissal)
            #expect(!daemon.keepsAttributes)
        }
    }

    @Test("A bus name that another program owns does not determine the daemon's kind")
    func somebodyElsesName() throws {
        let daemon = try ScriptedDaemon()
        let other = daemon.makeService()
        let names = try KeyringDaemon.Kind.busNames.map { try other.acquireName($0) }
        #expect(try daemon.makeService().daemon().kind == .other("TestDaemon"))
        withExtendedLifetime(names) {}
    }

    @Test("A daemon's kind is known once it owns its name, and then without a call")
    func nameTakenLater() throws {
        let daemon = try ScriptedDaemon()
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let deadline = Deadline.after(.seconds(20))
        _ = try service.collections()
        #expect(try service.answeringDaemon(by: deadline)?.kind == .other("TestDaemon"))
        #expect(try service.daemon().kind == .other("TestDaemon"))
        try daemon.tell("owning=org.kde.ksecretd")
        #expect(try service.answeringDaemon(by: deadline)?.kind == .kWallet)
        _ = calls.takeAll()
        #expect(try service.answeringDaemon(by: deadline)?.kind == .kWallet)
        #expect(calls.takeAll().isEmpty)
        #expect(try service.daemon().kind == .kWallet)
        #expect(calls.takeAll() == ["GetNameOwner"])
    }

    @Test("A daemon's kind is determined again after each start")
    func nextDaemon() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        #expect(try service.daemon().kind == .gnomeKeyring)
        try keyring.killDaemon()
        try keyring.untilDaemonAppears {
            _ = try keyring.start(
                try BuiltProducts.executable("TestDaemon"),
                ["scripted-daemon", "owning=org.kde.kwalletd6"]
            )
        }
        _ = try service.collections()
        #expect(service.knownDaemon == nil)
        #expect(try service.answeringDaemon(by: .after(.seconds(20)))?.kind == .kWallet)
        #expect(service.knownDaemon?.kind == .kWallet)
    }

    @Test("Determining the kind takes one wait for GNOME Keyring and two for others")
    func waits() throws {
        for (name, expected) in [("org.gnome.keyring", 1), ("org.kde.ksecretd", 2), ("org.example.Other", 2)] {
            let daemon = try ScriptedDaemon("owning=\(name)")
            let waits = WaitCounter()
            var configuration = SecretService.Configuration(busAddress: .address(daemon.keyring.busAddress))
            configuration.waits = waits
            let service = SecretService(configuration)
            _ = try service.collections()
            _ = waits.takeAll()
            _ = try service.answeringDaemon(by: .after(.seconds(20)))
            #expect(waits.takeAll().count == expected, "\(name)")
        }
    }

    @Test("Behind a filtering proxy, nothing is assumed and no process is named")
    func filtered() throws {
        let keyring = try PrivateKeyring()
        let path = "\(keyring.directory)/filtered"
        let ends = try SocketPair()
        defer { close(ends.ours) }
        let filter = try keyring.start(
            "xdg-dbus-proxy",
            ["--fd=1", keyring.busAddress, path, "--filter", "--talk=org.freedesktop.secrets"],
            output: ends.theirs
        )
        close(ends.theirs)
        // The proxy writes a byte once it listens.
        var byte: UInt8 = 0
        #expect(unsafe read(ends.ours, &byte, 1) == 1)
        let service = SecretService(.init(busAddress: .address("unix:path=\(path)"), timeout: .seconds(10)))
        _ = try service.collections()
        let deadline = Deadline.after(.seconds(20))
        for daemon in [try service.daemon(), try #require(try service.answeringDaemon(by: deadline))] {
            #expect(daemon.kind == .other(nil))
            #expect(daemon.processID == nil)
            #expect(daemon.programName == nil)
        }
        filter.end()
    }
}

extension KeyringDaemon {
    fileprivate init(of kind: Kind) {
        self.init(uniqueName: ":1.1", processID: nil, executableName: nil, busID: "", kind: kind)
    }
}

/// Tests that program names as the system shows them are normalized.
struct ProgramNameTests {
    @Test(
        "A program's name is recovered from truncated, wrapped, renamed or deleted files",
        arguments: [
            ("gnome-keyring-daemon", "gnome-keyring-daemon"), ("gnome-keyring-d", "gnome-keyring-daemon"),
            ("gnome-keyring-daemon (deleted)", "gnome-keyring-daemon"),
            (".gnome-keyring-daemon-wrapped", "gnome-keyring-daemon"), (".gnome-keyring-", "gnome-keyring-daemon"),
            (".gnome-keyring-daemon-wrapped_", "gnome-keyring-daemon"),
            (".gnome-keyring-daemon-wrapped (deleted)", "gnome-keyring-daemon"),
            ("gnome-keyring-daemon-real", "gnome-keyring-daemon"), (".kwalletd5-wrap", "kwalletd5"),
            (".kwalletd6-wrapped", "kwalletd6"), (".ksecretd-wrapp", "ksecretd"), (".keepassxc-wrap", "keepassxc"),
            ("keepassxc-real", "keepassxc"), ("sleep", "sleep"), (".hidden", ".hidden"), ("-real", "-real"),
            ("fifteen-bytes-x", "fifteen-bytes-x"), ("", ""),
        ]
    )
    func normalized(_ shown: String, _ name: String) {
        #expect(ProgramName.normalized(shown) == name)
    }

    @Test("A process has the name of its program, and an ended process has no name")
    func processes() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        let copy = "\(keyring.directory)/.example-wrapped"
        #expect(try keyring.run("cp", ["/bin/sleep", copy]).status == 0)
        let process = try keyring.start(copy, ["1000"])
        #expect(ProgramName.ofProcess(process.processID) == "example")
        #expect(try keyring.run("rm", [copy]).status == 0)
        #expect(ProgramName.ofProcess(process.processID) == "example")
        process.end()
        #expect(ProgramName.ofProcess(process.processID) == nil)
    }
}
