import TestSupport
import Testing

/// Tests the output of `sharedauth doctor` if no daemon stores secrets, or the daemon does not reply.
@Suite(.serialized)
struct NobodyThereTests {
    @Test("Doctor reports a missing bus and exits with status 69")
    func withoutBus() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        let nowhere = ["-u", "DBUS_SESSION_BUS_ADDRESS"]
        let diagnosis = try Diagnosis(of: keyring, as: "Without a session bus", environment: nowhere)
        #expect(diagnosis.status == 69, "\(diagnosis.text)")
        #expect(diagnosis.checks("bad") == ["bus"])
        #expect(diagnosis["provider"] == nil)
    }

    @Test("Doctor reports a missing daemon and exits with status 69")
    func withoutDaemon() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        let diagnosis = try Diagnosis(of: keyring, as: "Without a daemon")
        #expect(diagnosis.status == 69, "\(diagnosis.text)")
        #expect(diagnosis.checks("good").last == "bus")
        #expect(diagnosis.checks("bad") == ["provider"])
        #expect(diagnosis.text.contains("-> Install or start"))
    }

    @Test("Doctor reports a missing default collection and exits with status 69")
    func withoutDefaultCollection() throws {
        let keyring = try PrivateKeyring(state: .noDefaultCollection)
        defer { keyring.shutdown() }
        let diagnosis = try Diagnosis(of: keyring, as: "On GNOME Keyring, without a default collection")
        #expect(diagnosis.status == 69, "\(diagnosis.text)")
        #expect(diagnosis["provider"]?.message.contains("gnome-keyring-daemon") == true)
        #expect(diagnosis.checks("bad") == ["collection"])
        #expect(diagnosis.text.contains("-> Create a keyring"))
    }

    @Test("Doctor warns that a collection in memory is lost at logout")
    func inMemoryOnly() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        try keyring.makeDefault("session")
        let diagnosis = try Diagnosis(of: keyring, as: "On GNOME Keyring, with a default collection in memory")
        #expect(diagnosis.status == 0, "\(diagnosis.text)")
        #expect(diagnosis.checks("warning") == ["collection"])
        #expect(diagnosis["probe"] != nil)
    }

    @Test("Doctor reports a hung daemon within its deadline and exits with status 75")
    func hangingDaemon() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        keyring.stopDaemon()
        let start = ContinuousClock.now
        let diagnosis = try Diagnosis(of: keyring, as: "On GNOME Keyring, which hangs")
        // One deadline of five seconds, plus a margin for a slow machine.
        #expect(ContinuousClock.now - start < .hang)
        #expect(diagnosis.status == 75, "\(diagnosis.text)")
        #expect(diagnosis["provider"]?.message.contains("gnome-keyring-daemon") == true)
        #expect(diagnosis.checks("bad") == ["collection"])
        #expect(diagnosis.text.contains("-> Restart the keyring daemon"))
    }
}
