import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OnEveryDaemon {
    /// Tests two apps of a group: an app announces the other one's changes when the daemon signals them.
    struct SignalTests {
        @Test(
            "Creation, replacement, change and deletion are each announced with few reads",
            arguments: DaemonKind.allCases
        )
        func announcedChanges(
            _ kind: DaemonKind
        ) async throws {
            let bench = Bench(try Daemons.shared(kind))
            let mail = try ListeningApp("com.example.Mail", on: bench)
            let calendar = try ListeningApp("com.example.Calendar", on: bench)
            #expect(calendar.hears("signed out"))
            try await mail.signIn("x")
            #expect(calendar.hears("x"))
            let secret = try bench.groupItem().secret()
            _ = calendar.calls.take()
            try await mail.signIn("y")
            #expect(calendar.hears("y"))
            // Another program's change that bypasses the library; GNOME Keyring sends no signal of it.
            try bench.groupItem().setSecret(secret)
            if kind == .gnomeKeyring {
                Observations.note(kind, "Another program changes a secret in place", "not signalled")
            } else {
                #expect(calendar.hears("x"))
                Observations.note(kind, "Another program changes a secret in place", "signalled")
            }
            // KeePassXC sends dozens of signals for each of the two.
            #expect(calendar.calls.take().count { $0 == "GetSecret" } < 20)
            try await mail.signIn("z")
            #expect(calendar.hears("z"))
            try mail.auth.signOut()
            #expect(calendar.hears("signed out"))
            Observations.note(kind, "Sign-in, user switch and sign-out by another app", "notified immediately")
        }

        @Test("Changes by peers are announced again after the daemon restarts", arguments: DaemonKind.allCases)
        func afterRestart(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            let calendar = try ListeningApp("com.example.Calendar", on: bench)
            #expect(calendar.hears("signed out"))
            try await mail.signIn("x")
            #expect(calendar.hears("x"))
            // KeePassXC 2.7.4 has been observed to dismiss every change after it was killed and started again.
            if kind == .keePassXC { try bench.keyring.terminateDaemon() } else { try bench.keyring.killDaemon() }
            #expect(calendar.auth.currentUser?.uid == "x")
            try bench.keyring.startDaemon(unlocked: true)
            try await mail.signIn("y")
            #expect(calendar.hears("y"))
            #expect(calendar.auth.currentUser?.uid == "y")
        }

        @Test("Locking signs no user out", arguments: [DaemonKind.gnomeKeyring, .keePassXC, .kWallet])
        func locking(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            #expect(mail.hears("signed out"))
            try await mail.signIn("x")
            #expect(mail.hears("x"))
            _ = mail.calls.take()
            try bench.keyring.lock()
            // This call runs after all reads that the lock's signals cause, as the app's operations run in order.
            do throws(AuthError) {
                _ = try mail.auth.getStoredUser(forAccessGroup: Bench.group)
                Issue.record("the keyring was not locked")
            } catch {
                #expect(error.code == .keyringLocked)
            }
            #expect(mail.auth.currentUser?.uid == "x")
        }
    }
}

extension Bench {
    /// Returns the item that stores the group's users.
    func groupItem() throws -> SecretItem {
        let key = RecordKey(
            scope: .group(Self.group),
            project: project,
            instance: AuthApp.defaultName,
            kind: "user"
        )
        let found = try service.items(matching: key.queryAttributes).unlocked
        guard let item = found.first, found.count == 1 else { throw Fake.NotThere() }
        return item
    }
}
