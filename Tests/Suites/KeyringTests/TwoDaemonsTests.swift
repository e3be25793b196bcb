import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OnEveryDaemon {
    /// Tests two instances of GNOME Keyring, on two buses, that keep one file.
    struct TwoDaemonsTests {
        @Test("A second daemon on the same file is told as the cause, and doctor names it")
        func sameFile() throws {
            let keyring = try Daemons.own(.gnomeKeyring)
            defer { keyring.shutdown() }
            let second = try Daemons.own(.gnomeKeyring, state: .noDaemon)
            defer { second.shutdown() }
            let bench = Bench(keyring)
            try bench.write("there")
            let password = try SocketPair()
            LocalSocket(file: password.ours).write(Array(PrivateKeyring.password.utf8))
            close(password.ours)
            let places = ["HOME=\(keyring.home)", "XDG_DATA_HOME=\(keyring.directory)/data"]
            let daemon = ["gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock"]
            let other = try second.start("env", places + DebianRoots.command(daemon), input: password.theirs)
            close(password.theirs)
            let service = second.makeService(waitsForDaemon: true)
            let item = try #require(try service.items(matching: bench.key.queryAttributes).unlocked.first)
            try item.delete()
            // The first daemon compares the file's time by the second, as it stands when a program connects.
            let file = "\(keyring.directory)/data/keyrings/login.keyring"
            #expect(try keyring.run("touch", ["--date=+10 seconds", file]).status == 0)

            // It lists an item that it does not have, until it reads the file or writes its own: at which read depends on
            // its version. Whatever it answers, no error tells to try again.
            for _ in 0..<10 {
                do throws(RecordStoreError) {
                    _ = try bench.otherStore().read(bench.key, by: bench.deadline)
                } catch {
                    #expect(error.message.contains("a second keyring daemon has changed"), "\(error)")
                    #expect(error.remedy?.contains("Try again") == false)
                }
            }
            let tool = try BuiltProducts.executable("sharedauth")
            let doctor = try Diagnosis(keyring.run(tool, ["doctor", "--json", "--app-id", "com.example.Mail"]))
            #expect(doctor["provider"]?.message.contains("keeps the secrets") == true)
            #expect(doctor.text.contains("process \(other.processID)"), "\(doctor.text)")
        }
    }
}
