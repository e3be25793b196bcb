import Glibc
import SharedAuth
import TestSupport
import Testing

struct WaitTests {
    @Test("wait ends immediately if the state is reached, and prints only with --json")
    func alreadySo() throws {
        let tool = try Shell()
        let quiet = try tool("wait", "signed-out")
        #expect(quiet.status == 0)
        #expect(quiet.standardOutput.isEmpty)
        #expect(quiet.standardError.isEmpty)
        #expect(
            try tool("wait", "signed-out", "--json", "--timeout", "1h").standardOutput
                == #"{"accessGroup":null,"appID":"com.example.Mail","state":"signed-out","user":null}"# + "\n"
        )
    }

    @Test("wait ends when another process of the group signs in or out")
    func hearsOthers() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let mail = try Shell(in: keyring)
        let calendar = mail.app("com.example.Calendar")
        for app in [mail, calendar] { #expect(try app("use-group", Shell.group).status == 0) }
        for (goal, act) in [("signed-in", ["sign-in", "--anonymous"]), ("signed-out", ["sign-out"])] {
            let calls = try BusCalls(of: keyring)
            let wait = try RunningProgram("sharedauth", ["wait", goal, "--json"] + calendar.identity, in: keyring)
            // The tool reads the current state of the slot.
            try calls.await("SearchItems")
            let acting = try keyring.run(BuiltProducts.executable("sharedauth"), act + ["--json"] + mail.identity)
            let user = try acting.uid.map {
                #"{"email":null,"isAnonymous":true,"providerID":"SharedAuth","tenantID":null,"uid":"\#($0)"}"#
            }
            #expect(
                try wait.line()
                    == #"{"accessGroup":"\#(Shell.group)","appID":"com.example.Calendar","state":"\#(goal)","#
                    + #""user":\#(user ?? "null")}"#
            )
            #expect(wait.process.wait() == 0)
        }
    }

    @Test("If the bus reports no changes, watch says so and wait looks again at the end")
    func refusedRules() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        try keyring.limitMatchRules(to: 1)
        let watch = try RunningProgram(mergingErrors: ["watch"] + tool.identity, in: keyring)
        let lines = [try watch.line(), try watch.line()]
        #expect(lines.contains { $0.contains("not observed at present: The message bus refuses") }, "\(lines)")
        let call = ["wait", "signed-in", "--timeout", "8s"] + tool.identity
        let wait = try RunningProgram("sharedauth", call, in: keyring)
        _ = try tool.signIn()
        #expect(wait.process.wait() == 0)
        #expect(try tool("wait", "signed-out", "--timeout", "2s").status == 75)
    }

    @Test("wait exits with status 75 at its timeout")
    func timeOut() throws {
        let tool = try Shell()
        // Long enough for a reply of the keyring on a busy machine.
        let result = try tool("wait", "signed-in", "--timeout", "8s")
        #expect(result.status == 75)
        #expect(result.standardOutput.isEmpty)
        #expect(
            result.standardError == "sharedauth: The app's own slot: no user has signed in within 8.0 seconds.\n"
        )
    }

    @Test("The timeout also applies while the keyring does not reply")
    func timeOutOfHungKeyring() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        keyring.stopDaemon()
        let tool = try Shell(in: keyring)
        let clock = ContinuousClock()
        let waiting = try clock.measure {
            let result = try tool("wait", "signed-in", "--timeout", "100ms")
            #expect(result.status == 75)
            #expect(result.standardError == "sharedauth: The keyring has not answered within 0.1 seconds.\n")
        }
        // Without a timeout, a verb waits for the time of a call to the keyring.
        let asking = try clock.measure { _ = try tool("status") }
        #expect(waiting < asking)
        keyring.continueDaemon()
    }

    @Test("A locked keyring is reported once, and wait continues until it is unlocked")
    func locked() throws {
        let keyring = try PrivateKeyring(state: .locked)
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        let wait = try RunningProgram(mergingErrors: ["wait", "signed-out", "--json"] + tool.identity, in: keyring)
        #expect(
            try wait.line()
                == "sharedauth: The app's own slot: The keyring is locked. Watching resumes when the keyring can be read."
        )
        try keyring.restartUnlocked()
        #expect(
            try wait.line()
                == #"{"accessGroup":null,"appID":"com.example.Mail","state":"signed-out","user":null}"#
        )
        #expect(wait.process.wait() == 0)
        #expect(throws: NothingToRead.self) { try wait.line() }
    }

    @Test("A missing keyring is reported once, and wait continues until it appears")
    func absent() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        let wait = try RunningProgram(mergingErrors: ["wait", "signed-out"] + tool.identity, in: keyring)
        let line = try wait.line()
        #expect(line.hasPrefix("sharedauth: The app's own slot: "), "\(line)")
        #expect(line.hasSuffix(" Watching resumes when the keyring can be read."), "\(line)")
        try keyring.startDaemon(unlocked: true)
        #expect(wait.process.wait() == 0)
        #expect(throws: NothingToRead.self) { try wait.line() }
    }

    @Test("wait fails immediately on errors that no event will resolve")
    func lasting() throws {
        let tool = try Shell()
        let noBus = try tool.bare(
            ["wait", "signed-out"] + tool.identity,
            environment: ["DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"]
        )
        #expect(noBus.status == 69)
        #expect(noBus.hasOneLineOfComplaint, "\(noBus.standardError)")
        #expect(try tool("sign-in", "--anonymous").status == 0)
        try tool.replaceRecords(with: "garbage")
        let damaged = try tool("wait", "signed-out")
        #expect(damaged.status == 65)
        #expect(damaged.hasOneLineOfComplaint, "\(damaged.standardError)")
        let noKey = try tool("wait", "signed-out", "--store", "file", "--key-file", "/nonexistent")
        #expect(noKey.status == 69)
        #expect(noKey.hasOneLineOfComplaint, "\(noKey.standardError)")
    }

    @Test(
        "A duration is a whole number above 0 and a unit",
        arguments: ["0s", "-5s", "5", "s", "5x", "5M", "1.5s", "5 s", "5ss", "٥s", "9999999999h", "0x5s"]
    )
    func malformedDuration(_ text: String) throws {
        let result = try Shell()("wait", "signed-in", "--timeout=\(text)")
        #expect(result.status == 64)
        #expect(result.standardOutput.isEmpty)
        #expect(
            result.standardError.hasPrefix(
                "Error: The value '\(text)' is invalid for '--timeout <duration>': "
                    + "Give a whole number above 0 and a unit: 500ms, 30s, 5m or 1h.\n"
            ),
            "\(result.standardError)"
        )
    }

    @Test("Output that cannot be written exits with status 74")
    func fullDisk() throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        let script = #"exec "$@" >/dev/full"#
        let wait = [program, "wait", "signed-out", "--json"] + tool.identity
        let result = try tool.keyring.run("/bin/sh", ["-c", script, "sh"] + wait)
        #expect(result.status == 74)
        #expect(result.hasOneLineOfComplaint)
    }
}
