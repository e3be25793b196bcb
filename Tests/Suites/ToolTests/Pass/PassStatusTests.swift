import PassAuth
import SharedAuth
import TestSupport
import Testing

struct PassStatusTests {
    @Test("Status prints the state, the TV provider, the expiry and the device")
    func signedIn()
        throws
    {
        let pass = try PassShell()
        #expect(
            try pass("status", "--requestor", "R1").standardOutput == """
                app id        com.example.tv.One
                access group  group.com.example.tv
                requestor     R1
                state         signed-out
                TV provider   none
                issued to     none
                valid until   none
                device        vendor
                keyring       gnome-keyring-daemon
                locked        no

                """
        )
        #expect(try pass("import", "--token-stdin", input: pass.token()).status == 0)
        let json =
            #"{"accessGroup":"group.com.example.tv","appID":"com.example.tv.One","device":"vendor","#
            + #""expires":"2100-01-01T00:00:00Z","issuedTo":"R1","keyring":"gnome-keyring-daemon","locked":false,"#
            + #""mvpd":"M1","requestor":"R1","state":"signed-in"}"#
        #expect(try pass("status", "--requestor", "R1", "--json").standardOutput == json + "\n")
        let shared = try pass("status", "--requestor", "R2", "--json").json
        #expect(shared["state"] == .string("signed-in"))
        #expect(shared["issuedTo"] == .string("R1"))
        #expect(
            try pass("status", "--requestor", "R1", "--mvpd", "M2", "--json").json["state"] == .string("signed-out")
        )
    }

    @Test("Another vendor's app of the group, and the app's private store, are signed out")
    func othersAreSignedOut()
        throws
    {
        let pass = try PassShell()
        #expect(try pass("import", "--token-stdin", input: pass.token()).status == 0)
        let status = ["pass", "status", "--requestor", "R1", "--json", "--machine-id-file", pass.machineIDFile]
        let other = try pass.shell.app("com.example.radio.Two").bare(
            status + ["--app-id", "com.example.radio.Two", "--project", pass.shell.project, "--group", PassShell.group]
        )
        #expect(try other.json["state"] == .string("signed-out"))
        let own = try pass.shell.bare(status + pass.shell.identity)
        #expect(try own.json["state"] == .string("signed-out"))
        #expect(try own.json["accessGroup"] == .null)
    }

    @Test(
        "A requestor's damaged token is an error, and another requestor's is ignored",
        arguments: [["status"], ["import"]]
    )
    func strangersDamage(_ verb: [String]) throws {
        let pass = try PassShell()
        _ = try pass("import", "--token-stdin", input: pass.token())
        let others = try pass.records().keys
        _ = try pass("import", "--token-stdin", "--per-requestor", input: pass.token(for: "R2", from: "M2"))
        try pass.replaceRecords(with: "garbage", except: others)
        for (requestor, mvpd) in [("R1", "M1"), ("R2", "M2")] {
            for integrations in [[], ["--mvpd", mvpd]] {
                let result = try pass.run(verb + ["--requestor", requestor, "--json"] + integrations)
                #expect(result.status == (requestor == "R1" ? 0 : 65), "\(requestor) \(integrations)")
                if requestor == "R1" { #expect(try result.json["mvpd"] == .string("M1")) }
                if requestor == "R2", verb == ["status"] { #expect(try result.json["state"] == .string("damaged")) }
            }
        }
    }

    @Test(
        "Without a keyring, status prints known values; verbs exit with the state's code",
        arguments: [
            (PrivateKeyring.State.locked, "locked", 75 as Int32), (.noDaemon, "unavailable", 69),
            (.noDefaultCollection, "unavailable", 69),
        ]
    )
    func withoutKeyring(
        _ state: PrivateKeyring.State,
        _ name: String,
        _ status: Int32
    ) throws {
        let keyring = try PrivateKeyring(state: state)
        let pass = try PassShell(in: keyring)
        let verbs: [[String]] = [
            ["status", "--requestor", "R1", "--json"], ["tokens"], ["clear"], ["import", "--requestor", "R1"],
            ["import", "--token-stdin"], ["device-id", "--device", "advertising"],
        ]
        for verb in verbs {
            let result = try pass.run(verb, input: pass.token())
            #expect(result.status == status, "\(verb): \(result.standardError)")
            #expect(result.hasOneLineOfComplaint)
            if verb[0] == "status" {
                #expect(try result.json["state"] == .string(name))
                #expect(try result.json["appID"] == .string(pass.shell.appID))
            }
        }
        keyring.shutdown()
    }

    @Test(
        "Usage errors and malformed names exit with status 64",
        arguments: [
            ["frob"], ["status"], ["import"], ["import", "--requestor", "R1", "--token-stdin"],
            ["import", "--requestor", "R1", "--per-requestor"], ["tokens", "--layout", "frob"],
            ["tokens", "--group", "one"], ["tokens", "--app-id", "a..b"], ["tokens", "--project", "a/b"],
        ]
    )
    func wrongCalls(_ arguments: [String]) throws {
        let result = try Shell().bare(["pass"] + arguments)
        #expect(result.status == 64)
        #expect(result.standardOutput.isEmpty)
        #expect(!result.standardError.isEmpty)
    }
}

struct PassDeviceIDTests {
    @Test("device-id prints the fingerprint in tokens and its source")
    func machineFingerprint() throws {
        let pass = try PassShell()
        let fingerprint = try pass.device.fingerprint
        #expect(
            try pass("device-id").standardOutput == """
                app id        com.example.tv.One
                access group  group.com.example.tv
                kind          vendor
                fingerprint   \(fingerprint)
                comes from    \(pass.machineIDFile)

                """
        )
        let machine = try pass("device-id", "--device", "machine", "--json").json
        #expect(machine["kind"] == .string("machine"))
        #expect(machine["fingerprint"]?.string?.count == 64)
        #expect(machine["fingerprint"] != .string(fingerprint))
    }

    @Test("On a machine without an ID, device-id warns and keeps the ID it generated")
    func withoutMachineID() throws {
        let pass = try PassShell()
        let nowhere = ["pass", "device-id", "--json", "--machine-id-file", "/nonexistent"] + pass.shell.identity
        let first = try pass.shell.bare(nowhere).json
        #expect(first["warning"]?.string?.contains("no machine id") == true)
        #expect(try pass.shell.bare(nowhere).json == first)
        _ = try pass("clear")
        #expect(try pass.shell.bare(nowhere).json == first)
        #expect(try pass("device-id", "--json").json["warning"] == nil)
    }

    @Test("The advertising ID is the same for every app of the project")
    func advertisingID() throws {
        let pass = try PassShell()
        let first = try pass("device-id", "--device", "advertising", "--json").json["fingerprint"]
        let other = pass.shell.app("org.example.Other")
        let second = try other("pass", "device-id", "--device", "advertising", "--json").json["fingerprint"]
        #expect(first == second)
        #expect(first?.string?.count == 64)
    }
}
