import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OnEveryDaemon {
    /// Tests a GNOME Keyring whose default keyring has no password, as with an automatic login.
    struct PasswordlessTests {
        @Test("A keyring without a password opens at the first read, without a prompt")
        func opens() async throws {
            let keyring = try Daemons.own(.gnomeKeyring, state: .noDaemon)
            defer { keyring.shutdown() }
            _ = try keyring.startWithoutPassword()
            let bench = Bench(keyring)
            try await ListeningApp("com.example.Mail", on: bench).signIn("x")
            try keyring.restartDaemon(unlocked: false)
            let tool = try BuiltProducts.executable("sharedauth")
            let mail = try ListeningApp("com.example.Mail", on: bench, group: nil)
            guard case .signedIn(let user) = await mail.auth.ready() else {
                Issue.record("\(mail.auth.state)")
                return
            }
            #expect(user.uid == "x")
            let calls = mail.calls.take()
            #expect(calls.count { $0 == "Unlock" } == 1 && !calls.contains("Prompt"))
            try keyring.restartDaemon(unlocked: false)
            let stored = ["stored-user", "--json", "--group", Bench.group, "--project", bench.project]
            let found = try keyring.run(tool, stored + ["--app-id", "com.example.Calendar"])
            #expect(found.standardOutput.contains(#""uid":"x""#), "\(found.standardOutput)\(found.standardError)")
        }

        @Test("A keyring with a password is asked once, and no prompt is shown")
        func staysLocked() throws {
            let bench = Bench(try Daemons.own(.gnomeKeyring))
            defer { bench.keyring.shutdown() }
            try bench.write("there")
            try bench.keyring.lock()
            _ = bench.calls.take()
            for _ in 0..<3 {
                expectFailure(\RecordStoreError.code, .locked) {
                    _ = try bench.store.read(bench.key, by: bench.deadline)
                }
            }
            let calls = bench.calls.take()
            #expect(calls.count { $0 == "Unlock" } == 1 && !calls.contains("Prompt"), "\(calls)")
        }

        @Test("A keyring without a password that the user locks stays locked for an observer")
        func lockedByUser() throws {
            let keyring = try Daemons.own(.gnomeKeyring, state: .noDaemon)
            defer { keyring.shutdown() }
            _ = try keyring.startWithoutPassword()
            let bench = Bench(keyring)
            // This store asks the daemon to open the keyring; the other one finds it open.
            try bench.write("there")
            let (calls, events) = (Calls(), Recorder<RecordEvent>())
            let observing = keyring.makeStore(interceptor: calls.interceptor)
            let watch = try observing.watch(bench.key, by: bench.deadline) { events.record($0) }
            defer { watch.cancel() }
            #expect(try observing.read(bench.key, by: bench.deadline).text == "there")
            try keyring.lock()
            #expect(events.take { $0 == .lockChanged } != nil)
            for store in [observing, bench.store] {
                expectFailure(\RecordStoreError.code, .locked) { _ = try store.read(bench.key, by: bench.deadline) }
            }
            #expect(!calls.take().contains("Unlock"))
        }

        @Test("A keyring's file that the daemon cannot read is named, and no new one is advised")
        func unreadable() throws {
            let keyring = try Daemons.own(.gnomeKeyring, state: .noDaemon)
            defer { keyring.shutdown() }
            // Another program's secret with a line break, as GNOME Keyring has written it.
            let file = try keyring.startWithoutPassword(
                "\n[1]\nitem-type=0\ndisplay-name=x\nsecret=one\ntwo\nmtime=1\nctime=1\n"
            )
            let tool = try BuiltProducts.executable("sharedauth")
            for verb in [["status"], ["doctor"], ["sign-in", "--anonymous"]] {
                let run = try keyring.run(tool, verb + ["--app-id", "com.example.Mail"])
                #expect(run.status == 69, "\(verb)")
                let text = run.standardOutput + run.standardError
                #expect(text.contains("has not loaded \(file)"), "\(text)")
                #expect(text.contains("would hide it") && !text.contains("Create a keyring"), "\(text)")
            }
        }
    }
}
