import Foundation
import SharedAuth
import TestSupport
import Testing

/// Tests a keyring that receives calls and does not reply.
struct FrozenKeyringTests {
    private static let verbs: [[String]] = [
        ["status"], ["whoami"], ["accounts"], ["list"], ["token"], ["sign-in", "--anonymous"], ["sign-out"],
        ["sign-out", "--user", "x"], ["switch", "x"], ["use-group", Shell.group], ["stored-user", "--own"],
        ["forget", "--own", "--yes"], ["lock"],
        ["migrate", "--from-own", "--to-group", Shell.group, "--yes"],
    ]

    @Test("Each verb reports that the keyring does not answer, with one remedy")
    func verbs() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        _ = try tool.signIn()
        keyring.stopDaemon()
        defer { keyring.continueDaemon() }
        let calls = try Self.verbs.map { verb in
            (verb, try RunningProgram(mergingErrors: verb + tool.identity, in: keyring))
        }
        for (verb, call) in calls {
            var said = ""
            while let line = try? call.line() { said += line + "\n" }
            #expect(call.process.wait() == 75, "\(verb)")
            let complaint = said.split(separator: "\n").last.map(String.init) ?? ""
            #expect(complaint.contains("The keyring does not answer. "), "\(verb): \(complaint)")
            #expect(complaint.components(separatedBy: "ry again").count == 2, "\(verb): \(complaint)")
            for word in ["Another", "/org/", "deadline"] { #expect(!complaint.contains(word), "\(verb): \(complaint)") }
        }
    }

    @Test(
        "A verb ends within the time of one call and does not call a second time",
        arguments: ["status", "whoami", "token"]
    )
    func time(_ verb: String) throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        keyring.stopDaemon()
        defer { keyring.continueDaemon() }
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try tool(verb).status == 75)
        // A call has five seconds; two calls take ten.
        #expect(start.duration(to: clock.now) < .milliseconds(9_500))
    }

    @Test("doctor reports that the keyring does not answer, and names no request")
    func doctor() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        keyring.stopDaemon()
        defer { keyring.continueDaemon() }
        let doctor = try tool("doctor")
        #expect(doctor.status == 75)
        #expect(doctor.standardOutput.contains("The keyring does not answer.\n"))
        #expect(!doctor.standardOutput.contains("/org/"))
    }
}
