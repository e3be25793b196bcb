import Foundation
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

struct DoctorTests {
    static let all = [
        "identity", "sandbox", "clock", "files", "choice", "bus", "provider", "durability", "collection", "lock",
        "records", "turns", "probe", "signals",
    ]

    @Test("On an unlocked keyring, every line is good, and no record is left behind")
    func allGood() throws {
        let tool = try Shell()
        let text = try tool("doctor")
        #expect(text.status == 0)
        #expect(text.standardOutput.split(separator: "\n").count == Self.all.count)
        #expect(text.standardOutput.contains("good     provider    gnome-keyring-daemon (process "))
        let doctor = try Diagnosis(tool("doctor", "--json"))
        #expect(doctor.findings.map(\.check) == Self.all)
        for finding in doctor.findings {
            #expect(finding.verdict == "good", "\(finding)")
            #expect(finding.remedy == nil)
        }
        #expect(try tool.records() == 0)
    }

    @Test(
        "A failed check is the only bad line, with its status and a remedy",
        arguments: [
            (PrivateKeyring.State.locked, "lock", 75 as Int32), (.noDaemon, "provider", 69),
            (.noDefaultCollection, "collection", 69),
        ]
    )
    func lastLineIsWrong(
        _ state: PrivateKeyring.State,
        _ check: String,
        _ status: Int32
    ) throws {
        let keyring = try PrivateKeyring(state: state)
        let doctor = try Diagnosis(Shell(in: keyring)("doctor", "--json"))
        #expect(doctor.status == status)
        #expect(doctor.findings.filter { $0.verdict == "bad" }.map(\.check) == [check])
        #expect(doctor[check]?.remedy?.isEmpty == false)
        #expect(doctor["probe"] == nil)
        keyring.shutdown()
    }

    @Test(
        "A process that holds a turn is a warning that names it and a remedy",
        arguments: [true, false]
    )
    func stoppedHolder(isOfTokens: Bool) throws {
        let tool = try Shell()
        _ = try tool.signIn()
        let key = RecordKey(scope: .app(tool.appID), project: tool.project, instance: AuthApp.defaultName, kind: "user")
        let name = key.lockName("org.sharedauth.\(isOfTokens ? "refresh" : "lock")")
        let holder = try RunningProgram("TestDaemon", ["hold-name", name], in: tool.keyring)
        #expect(try holder.line() == name)
        let turn = isOfTokens ? "exchange the tokens in" : "change"
        for (state, remedy) in [
            ("running", "Try again; if the problem persists, end process"), ("stopped", "Continue it with kill -CONT"),
        ] {
            if state == "stopped" { #expect(holder.process.stop()) }
            let doctor = try Diagnosis(tool("doctor", "--json"))
            #expect(doctor.status == 0)
            let finding = try #require(doctor.findings.first { $0.verdict == "warning" })
            let process = "TestDaemon (process \(holder.process.processID)), which is \(state),"
            #expect(finding.check == "turns")
            #expect(finding.message == "\(process) has the turn to \(turn) the app's own slot.")
            #expect(finding.remedy?.hasPrefix("\(remedy) \(holder.process.processID)") == true)
        }
    }

    @Test("A second keyring daemon of the user in the same home is a warning that names it")
    func secondDaemon() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        // Any program of that name will do.
        let program = "\(keyring.directory)/gnome-keyring-daemon"
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
        let second = try keyring.start(program, ["600"])
        let doctor = try Diagnosis(Shell(in: keyring)("doctor", "--json"))
        #expect(doctor.status == 0)
        let finding = try #require(doctor.findings.first { $0.verdict == "warning" })
        #expect(finding.check == "provider")
        #expect(finding.message.contains("runs 2 times for this user, also as process \(second.processID)."))
        #expect(finding.remedy != nil)
        second.end()
        let again = try Diagnosis(Shell(in: keyring)("doctor", "--json"))
        #expect(again.findings.allSatisfy { $0.verdict == "good" })
    }

    @Test("Without a session bus, doctor reports that and its other findings")
    func withoutBus() throws {
        let tool = try Shell()
        for environment in [["-u", "DBUS_SESSION_BUS_ADDRESS"], ["DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"]] {
            let doctor = try Diagnosis(tool.bare(["doctor", "--json"] + tool.identity, environment: environment))
            #expect(doctor.status == 69)
            #expect(doctor.findings.map(\.check) == ["identity", "sandbox", "clock", "files", "choice", "bus"])
            #expect(doctor.verdicts["bus"] == "bad")
        }
    }

    @Test(
        "Malformed names are one bad finding among the others",
        arguments: [["--declare", "one"], ["--team-id", "TEAM", "--declare", "OTHER.x"], ["--app-id", "a/b"]]
    )
    func malformedNames(_ arguments: [String]) throws {
        let doctor = try Diagnosis(Shell().bare(["doctor", "--json"] + arguments))
        #expect(doctor.status == 64)
        #expect(doctor.verdicts["identity"] == "bad")
        #expect(doctor.verdicts["lock"] == "good")
    }

    @Test("Files readable by others are a warning; a file in the directory's place is bad")
    func fileModes() throws {
        let keyring = try PrivateKeyring()
        let tool = try Shell(in: keyring)
        #expect(try tool("use-group", Shell.group).status == 0)
        #expect(try Diagnosis(tool("doctor", "--json")).verdicts["files"] == "good")
        let directory = "\(keyring.directory)/state/sharedauth"
        let open = [FileAttributeKey.posixPermissions: 0o755]
        try FileManager.default.setAttributes(open, ofItemAtPath: directory)
        let warned = try Diagnosis(tool("doctor", "--json"))
        #expect(warned.status == 0)
        #expect(warned.verdicts["files"] == "warning")
        #expect(warned["files"]?.remedy?.contains("chmod -R go-rwx \(directory)") == true)
        try FileManager.default.removeItem(atPath: directory)
        try Data().write(to: URL(filePath: directory))
        let refused = try Diagnosis(tool("doctor", "--json"))
        #expect(refused.status == 70)
        #expect(refused.verdicts["files"] == "bad")
        keyring.shutdown()
    }

    @Test("Links in the state directory are neither followed nor named in the remedy")
    func hostileLinks() throws {
        let keyring = try PrivateKeyring()
        let tool = try Shell(in: keyring)
        #expect(try tool("use-group", Shell.group).status == 0)
        let directory = "\(keyring.directory)/state/sharedauth"
        let outside = "\(keyring.directory)/x;touch stolen;"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        let open = [FileAttributeKey.posixPermissions: 0o777]
        try FileManager.default.setAttributes(open, ofItemAtPath: outside)
        try FileManager.default.createSymbolicLink(atPath: "\(directory)/link;id;", withDestinationPath: outside)
        let warned = try Diagnosis(tool("doctor", "--json"))
        let remedy = try #require(warned["files"]?.remedy)
        #expect(!remedy.contains(";") && warned.verdicts["files"] == "warning")
        let command = String(remedy.trimmingPrefix("Run "))
        #expect(try keyring.run("/bin/sh", ["-c", command]).status == 0)
        #expect(try Diagnosis(tool("doctor", "--json")).verdicts["files"] == "good")
        #expect(FileManager.default.fileExists(atPath: outside))
        keyring.shutdown()
    }

    @Test("A clock before the program's build time is bad")
    func clockBehind() throws {
        let tool = try Shell()
        let copy = "\(tool.keyring.directory)/sharedauth-\(tool.project)"
        // Another process copies it: a file that this process has open for writing cannot be run.
        #expect(try tool.keyring.run("cp", [BuiltProducts.executable("sharedauth"), copy]).status == 0)
        #expect(try tool.keyring.run("touch", ["--date=tomorrow", copy]).status == 0)
        let doctor = try Diagnosis(tool.keyring.run(copy, ["doctor", "--json"] + tool.identity))
        try FileManager.default.removeItem(atPath: copy)
        #expect(doctor.status == 70)
        #expect(doctor.verdicts["clock"] == "bad")
    }
}
