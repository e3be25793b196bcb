import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OnEveryDaemon {
    /// Tests locked keyrings and locked items.
    struct LockedTests {
        @Test(
            "Calls on a locked keyring throw `locked` immediately, without a prompt",
            arguments: [DaemonKind.gnomeKeyring, .keePassXC, .kWallet]
        )
        func lockedAtOnce(_ kind: DaemonKind) throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            try bench.write("there")
            try bench.keyring.lock()
            for isFirst in [true, false] {
                // A process that has read nothing yet, and one that knows the record's item.
                let calls = isFirst ? Calls() : bench.calls
                let store = isFirst ? bench.keyring.makeStore(interceptor: calls.interceptor) : bench.store
                _ = calls.take()
                // A call that waited for the user would reach its deadline.
                let deadline = Deadline.patient
                expectFailure(\RecordStoreError.code, .locked) {
                    _ = try store.read(bench.key, by: deadline)
                }
                expectFailure(\RecordStoreError.code, .locked) {
                    _ = try bench.list(store, by: deadline)
                }
                expectFailure(\RecordStoreError.code, .locked) {
                    _ = try store.update(bench.key, by: deadline) { _ in .write([1]) }
                }
                expectFailure(\RecordStoreError.code, .locked) {
                    _ = try store.update(bench.key, by: deadline) { _ in .delete }
                }
                #expect(Set(calls.take()).isDisjoint(with: ["Prompt", "CreateCollection"]))
            }
            Observations.note(kind, "Locked", "reported immediately")
        }

        @Test(
            "The tool locks the default collection without a display",
            arguments: [DaemonKind.gnomeKeyring, .keePassXC, .kWallet]
        )
        func lockedByTool(_ kind: DaemonKind) throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            try bench.write("saved as it is locked")
            let locked = try bench.keyring.run(try BuiltProducts.executable("sharedauth"), ["lock", "--yes"])
            #expect(locked.status == 0, "\(locked.standardError)")
            #expect(try bench.service.defaultCollection().isLocked())
        }

        @Test("If KeePassXC asks about saving, locking ends in time and says where to answer")
        func unsaved() throws {
            let bench = Bench(try Daemons.own(.keePassXC, state: .askingToSave))
            defer { bench.keyring.shutdown() }
            try bench.write("not saved")
            let tool = try BuiltProducts.executable("sharedauth")
            for attempt in ["the first", "one while it asks"] {
                let asked = try bench.keyring.run(tool, ["lock", "--yes"])
                #expect(asked.status == 75, "\(attempt): \(asked.standardOutput)\(asked.standardError)")
                #expect(asked.standardError.contains("asks on its own display"))
                #expect(try !bench.service.defaultCollection().isLocked())
            }
            #expect(try bench.text() == "not saved")
        }

        // KeePassXC cannot be unlocked without a display. A login unlocks GNOME Keyring, which sends no signal then.
        @Test(
            "The user is announced when another program unlocks the keyring",
            arguments: [DaemonKind.gnomeKeyring, .kWallet]
        )
        func unlockedElsewhere(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            try await mail.signIn("x")
            try bench.keyring.lock()
            let mailAgain = try ListeningApp("com.example.Mail", on: bench, group: nil)
            guard case .locked = await mailAgain.auth.ready() else {
                Issue.record("not locked: \(mailAgain.auth.state)")
                return
            }
            try bench.keyring.unlock()
            #expect(mailAgain.hears("x"), "\(mailAgain.auth.state): \(mailAgain.calls.take())")
        }

        @Test("With KeePassXC's defaults, another program's record stays locked without a user")
        func unconfirmed() throws {
            let bench = Bench(try Daemons.own(.keePassXC, state: .confirming))
            defer { bench.keyring.shutdown() }
            try bench.write("mine")
            #expect(try bench.store.read(bench.key, by: bench.deadline).text == "mine")
            let other = bench.otherStore()
            expectFailure(\RecordStoreError.code, .locked) {
                _ = try other.read(bench.key, by: bench.deadline)
            }
            expectFailure(\RecordStoreError.code, .locked) {
                _ = try bench.list(other, by: bench.deadline)
            }
            expectFailure(\RecordStoreError.code, .locked) {
                _ = try other.update(bench.key, by: bench.deadline) { _ in .write([1]) }
            }
            Observations.note(
                .keePassXC,
                "A record of another program, as it comes",
                "locked until the user confirms"
            )
            // Without a display, no user can confirm: the call times out or is dismissed, and changes nothing.
            do throws(RecordStoreError) {
                try other.unlock(by: .after(.seconds(1)))
                Issue.record("the prompt was confirmed")
            } catch {
                #expect([.timedOut, .dismissed].contains(error.code), "\(error)")
            }
            #expect(try bench.store.read(bench.key, by: bench.deadline).text == "mine")
        }
    }
}
