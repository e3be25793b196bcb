import TestSupport
import Testing

extension OnEveryDaemon {
    /// Tests the output of `sharedauth doctor` for each daemon.
    struct DoctorTests {
        @Test(
            "Doctor names and probes an unlocked keyring's daemon, and reports its durability",
            arguments: DaemonKind.allCases
        )
        func unlocked(
            _ kind: DaemonKind
        ) throws {
            let diagnosis = try Diagnosis(of: Daemons.shared(kind), as: "On \(kind.rawValue), unlocked")
            #expect(diagnosis.status == 0, "\(diagnosis.text)")
            #expect(diagnosis["provider"]?.message.contains(kind.programName) == true)
            #expect(diagnosis["durability"]?.message.contains(kind.programName) == true)
            #expect(diagnosis.checks("warning") == (kind == .gnomeKeyring ? [] : ["durability"]))
            #expect(
                diagnosis.checks("good").suffix(6) == ["collection", "lock", "records", "turns", "probe", "signals"]
            )
        }

        @Test(
            "Doctor reports a locked keyring, writes nothing, and exits with status 75",
            arguments: [DaemonKind.gnomeKeyring, .keePassXC, .kWallet]
        )
        func locked(_ kind: DaemonKind) throws {
            let keyring = try Daemons.own(kind)
            defer { keyring.shutdown() }
            try keyring.lock()
            let diagnosis = try Diagnosis(of: keyring, as: "On \(kind.rawValue), locked")
            #expect(diagnosis.status == 75, "\(diagnosis.text)")
            #expect(diagnosis["provider"]?.message.contains(kind.programName) == true)
            #expect(diagnosis.checks("bad") == ["lock"])
            #expect(diagnosis["probe"] == nil)
            #expect(diagnosis.text.contains("-> Run sharedauth unlock, "))
        }

        @Test("Doctor probes KeePassXC although reading others' items prompts the user")
        func confirming()
            throws
        {
            let keyring = try Daemons.own(.keePassXC, state: .confirming)
            defer { keyring.shutdown() }
            let diagnosis = try Diagnosis(of: keyring, as: "On KeePassXC as it comes, unlocked")
            #expect(diagnosis.status == 0, "\(diagnosis.text)")
            #expect(diagnosis.checks("warning") == ["durability"])
            #expect(diagnosis["probe"] != nil)
        }
    }
}
