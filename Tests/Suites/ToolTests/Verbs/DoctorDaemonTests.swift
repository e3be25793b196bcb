import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

/// Tests doctor's verdicts on keyring daemons that the system shows under other names.
struct DoctorDaemonTests {
    @Test(
        "GNOME Keyring is named and counts as durable in each packaging",
        arguments: OrdinaryUser.Packaging.allCases
    )
    func packaging(_ packaging: OrdinaryUser.Packaging) throws {
        let user = try OrdinaryUser()
        defer { user.keyring.shutdown() }
        if let obstacle = try user.obstacle(to: packaging) {
            print("Test \"\(Test.current?.displayName ?? "")\" is not run on \(packaging): \(obstacle).")
            try Test.cancel("\(obstacle)")
        }
        try user.startDaemon(packaging, unlocked: true)
        let tool = try BuiltProducts.executable("sharedauth")
        let doctor = try Diagnosis(user.run([tool, "doctor", "--json", "--app-id", "com.example.Mail"]))
        #expect(doctor.status == 0, "\(doctor.text)")
        let message = try #require(doctor["provider"]?.message)
        #expect(message.hasPrefix("gnome-keyring-daemon (process "), "\(message)")
        #expect(doctor.verdicts["durability"] == "good")
    }

    @Test(
        "A process of another PID namespace is not mistaken for the daemon",
        .enabled(if: geteuid() == 0, "only root can")
    )
    func otherNamespace() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let daemon = try #require(try keyring.makeService().daemon().processID)
        // In the new namespace, another process has the daemon's process ID.
        let script = """
            echo \(daemon - 1) >/proc/sys/kernel/ns_last_pid
            sleep 1000 &
            test $! = \(daemon) || exit 99
            "$0" doctor --json --app-id com.example.Mail
            """
        let tool = try BuiltProducts.executable("sharedauth")
        let namespace = ["--pid", "--fork", "--kill-child", "--mount-proc"]
        let result = try keyring.run("unshare", namespace + ["sh", "-c", script, tool])
        try #require(result.status != 99, "the process ID could not be reused")
        let doctor = try Diagnosis(result)
        #expect(doctor["provider"]?.message == "gnome-keyring-daemon keeps the secrets.")
        #expect(doctor.verdicts["durability"] == "good")
    }

    @Test("No process is named for a daemon of unknown kind in another PID namespace", .enabled(if: geteuid() == 0))
    func unknownInOtherNamespace() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        _ = try keyring.start(try BuiltProducts.executable("TestDaemon"), ["scripted-daemon"])
        _ = try keyring.makeService(waitsForDaemon: true).defaultCollection()
        let tool = try BuiltProducts.executable("sharedauth")
        let namespace = ["--pid", "--fork", "--kill-child", "--mount-proc"]
        let call = [tool, "doctor", "--json", "--app-id", "com.example.Mail"]
        let doctor = try Diagnosis(keyring.run("unshare", namespace + call))
        #expect(doctor["provider"]?.message == "It is not known which program keeps the secrets.")
    }

    @Test(
        "A keyring change is a warning only while the current one lacks the user",
        arguments: [
            ("kwalletd6", false, "KWallet"), ("kwalletd5", true, nil), ("keepassxc", false, "KeePassXC"),
            ("gnome-keyring-daemon (deleted)", false, nil), ("sleep", false, nil),
        ] as [(String, Bool, String?)]
    )
    func change(_ program: String, isThere: Bool, _ former: String?) throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        #expect(try tool("use-group", Shell.group).status == 0)
        if isThere { #expect(try tool("sign-in", "--anonymous").status == 0) }
        // The file that names the keyring programs is next to that of the choice.
        let root = "\(keyring.directory)/state/sharedauth"
        let files = try FileManager.default.subpathsOfDirectory(atPath: root)
        let choice = try #require(files.first { $0.hasSuffix("/default.json") })
        let notes = "\(root)/\(choice.dropLast(".json".count)).providers"
        try Data(#"{"providers":{"\#(Shell.group)":["\#(program)"]},"version":1}"#.utf8).write(to: URL(filePath: notes))
        let doctor = try Diagnosis(tool("doctor", "--json"))
        #expect(doctor["change"]?.verdict == former.map { _ in "warning" })
        guard let former else { return }
        #expect(
            doctor["change"]?.message == "The user who was signed in is kept by \(former), not by GNOME Keyring."
        )
        #expect(doctor["change"]?.remedy == "Start \(former) in its place again, or sign in again.")
    }
}
