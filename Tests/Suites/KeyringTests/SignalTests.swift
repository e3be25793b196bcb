import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OnEveryDaemon {
    /// Two apps of a group: what the daemon signals, the other one announces.
    struct SignalTests {
        @Test(
            "Creation, replacement, change and deletion are each announced, for few reads each",
            arguments: DaemonKind.allCases
        )
        func announcedChanges(
            _ kind: DaemonKind
        ) async throws {
            let bench = Bench(try Daemons.shared(kind))
            let mail = try ListeningApp("com.example.Mail", on: bench)
            let calendar = try ListeningApp("com.example.Calendar", on: bench)
            #expect(calendar.hears("nobody"))
            try await mail.signIn("x")
            #expect(calendar.hears("x"))
            let secret = try bench.groupItem().secret()
            _ = calendar.calls.take()
            try await mail.signIn("y")
            #expect(calendar.hears("y"))
            // A stranger's change that bypasses the library: GNOME Keyring says nothing of it.
            try bench.groupItem().setSecret(secret)
            if kind == .gnomeKeyring {
                Observations.note(kind, "A stranger changes a secret in place", "not signalled")
            } else {
                #expect(calendar.hears("x"))
                Observations.note(kind, "A stranger changes a secret in place", "heard")
            }
            // KeePassXC sends dozens of signals for each of the two.
            #expect(calendar.calls.take().count { $0 == "GetSecret" } < 20)
            try await mail.signIn("z")
            #expect(calendar.hears("z"))
            try mail.auth.signOut()
            #expect(calendar.hears("nobody"))
            Observations.note(kind, "Sign-in, switch of user and sign-out by another app", "heard at once")
        }

        @Test("After the daemon was gone, what peers do is heard again", arguments: DaemonKind.allCases)
        func afterRestart(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            let calendar = try ListeningApp("com.example.Calendar", on: bench)
            #expect(calendar.hears("nobody"))
            try await mail.signIn("x")
            #expect(calendar.hears("x"))
            // KeePassXC 2.7.4, killed, has been seen to dismiss every change after it was started again.
            if kind == .keePassXC { try bench.keyring.terminateDaemon() } else { try bench.keyring.killDaemon() }
            #expect(calendar.auth.currentUser?.uid == "x")
            try bench.keyring.startDaemon(unlocked: true)
            try await mail.signIn("y")
            #expect(calendar.hears("y"))
            #expect(calendar.auth.currentUser?.uid == "y")
        }

        @Test("Locking takes nobody's user away", arguments: [DaemonKind.gnomeKeyring, .keePassXC, .kWallet])
        func locking(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            #expect(mail.hears("nobody"))
            try await mail.signIn("x")
            #expect(mail.hears("x"))
            _ = mail.calls.take()
            try bench.keyring.lock()
            // Whatever the signals of the lock lead to, a call of the app's own comes after it, as its turns are taken
            // in order.
            do throws(AuthError) {
                _ = try mail.auth.getStoredUser(forAccessGroup: Bench.group)
                Issue.record("it was not locked")
            } catch {
                #expect(error.code == .keyringLocked)
            }
            #expect(mail.auth.currentUser?.uid == "x")
        }
    }
}

extension Bench {
    /// The item of the group's users.
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
