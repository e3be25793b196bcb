import SharedAuth
import TestSupport
import Testing

struct ExitStatusTests {
    @Test(
        "Usage errors and malformed names exit with status 64",
        arguments: [
            ["frob"], ["status", "--frob"], ["sign-in"], ["sign-in", "--anonymous", "--email", "a@example.com"],
            ["sign-in", "--email", "a@example.com"], ["sign-in", "--email", "a@example.com", "--password-stdin"],
            ["use-group"], ["use-group", "group.a", "--none"], ["stored-user"],
            ["stored-user", "--own", "--group", "group.a"],
            ["update-current-user"], ["use-group", ""], ["use-group", "one"], ["use-group", "a..b"],
            ["use-group", "a.b/c"],
            ["stored-user", "--group", "a b.c"], ["update-current-user", "--from-group", ".a"],
            ["status", "--app-id", ""], ["status", "--app-id", "com..example"], ["status", "--app-id", "../x"],
            ["status", "--declare", "one"], ["status", "--project", "a/b"], ["status", "--team-id", ""],
        ]
    )
    func wrongCalls(_ arguments: [String]) throws {
        let result = try Shell().bare(arguments)
        #expect(result.status == 64)
        #expect(result.standardOutput.isEmpty)
        #expect(!result.standardError.isEmpty)
    }

    @Test(
        "Damaged and newer records exit with status 65 and are kept",
        arguments: ["garbage", "SharedAuth1.AAAA", "SharedAuth2.AAAA"]
    )
    func damagedAndNewer(_ record: String) throws {
        let tool = try Shell()
        _ = try tool("sign-in", "--anonymous")
        try tool.replaceRecords(with: record)
        for _ in 1...2 {
            let status = try tool("status", "--json")
            #expect(status.status == 65)
            #expect(try status.json["state"] == .string("damaged"))
            #expect(try tool("token").status == 65)
            #expect(try tool("stored-user", "--own").status == 65)
        }
    }

    @Test(
        "Verbs exit with 75 on a locked keyring, and with 69 without daemon or collection",
        arguments: [
            ["status"], ["sign-in", "--anonymous"], ["sign-out"], ["use-group", Shell.group], ["use-group", "--none"],
            ["stored-user", "--own"], ["update-current-user", "--from-own"], ["token"],
            ["status", "--all"], ["whoami"], ["accounts"], ["switch", "x"], ["sign-out", "--all"],
            ["forget", "--own", "--yes"],
        ]
    )
    func lockedAndUnavailable(_ verb: [String]) throws {
        for (state, status) in [
            (PrivateKeyring.State.locked, 75 as Int32), (.noDaemon, 69), (.noDefaultCollection, 69),
        ] {
            let keyring = try PrivateKeyring(state: state)
            let tool = try Shell(in: keyring)
            let result = try tool.bare(verb + tool.identity)
            #expect(result.status == status, "\(state): \(result.standardError)")
            #expect(result.hasOneLineOfComplaint)
            keyring.shutdown()
        }
    }

    @Test("A hung daemon exits with status 75")
    func hangingDaemon() throws {
        let keyring = try PrivateKeyring()
        let tool = try Shell(in: keyring)
        #expect(try tool("sign-in", "--anonymous").status == 0)
        keyring.stopDaemon()
        let result = try tool("stored-user", "--own")
        #expect(result.status == 75)
        #expect(result.hasOneLineOfComplaint)
        keyring.continueDaemon()
        #expect(try tool("stored-user", "--own").status == 0)
        keyring.shutdown()
    }
}
