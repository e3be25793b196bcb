import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OnEveryDaemon {
    /// Tests an empty collection in the place of the one that held the user: a renamed file, a keyring that was reset, or
    /// another database.
    struct ReplacedTests {
        private static let kinds = [DaemonKind.gnomeKeyring, .keePassXC, .kWallet]

        @Test(
            "A replaced collection signs nobody out, and a sign-in or sign-out settles it",
            arguments: kinds
        )
        func replaced(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            let calendar = try ListeningApp("com.example.Calendar", on: bench)
            #expect(mail.hearsFirst("signed out") && calendar.hearsFirst("signed out"))
            try await mail.signIn("x")
            #expect(mail.hearsFirst("x") && calendar.hears("x"))
            try bench.keyring.replaceCollection()

            // A running app keeps its user; one that starts does not take the empty collection for a sign-out.
            _ = mail.auth.engine.rereadSlot()
            #expect(mail.auth.currentUser?.uid == "x")
            let mailAgain = try ListeningApp("com.example.Mail", on: bench, group: nil)
            let error = try #require(await mailAgain.failure())
            #expect(error.code == .keyringChanged && error.message.contains("keyring that held the user is gone"))
            #expect(error.remedy?.contains("sign in again") == true)
            if kind == .gnomeKeyring { #expect(error.remedy?.contains(bench.keyring.formerFile) == true) }

            // A sign-in goes on there, and the other app has its user.
            try await mailAgain.signIn("y")
            #expect(mailAgain.hearsFirst("y"))
            let calendarAgain = try ListeningApp("com.example.Calendar", on: bench, group: nil)
            _ = await calendarAgain.auth.ready()
            #expect(calendarAgain.hearsFirst("y"))
            // Nothing of the former collection counts any more: this sign-out is one.
            try mailAgain.auth.signOut()
            let calendarAtLast = try ListeningApp("com.example.Calendar", on: bench, group: nil)
            #expect(await calendarAtLast.failure() == nil)
            #expect(calendarAtLast.hearsFirst("signed out"))
        }

        @Test(
            "A collection that returns has its user; another app's sign-out there counts",
            arguments: kinds
        )
        func restored(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            try await mail.signIn("x")
            let calendar = try ListeningApp("com.example.Calendar", on: bench)
            #expect(calendar.auth.currentUser?.uid == "x")
            try bench.keyring.replaceCollection()
            let calendarAgain = try ListeningApp("com.example.Calendar", on: bench, group: nil)
            #expect(await calendarAgain.failure()?.code == .keyringChanged)
            try bench.keyring.restoreCollection()
            #expect(calendarAgain.hearsFirst("x"))
            let mailAgain = try ListeningApp("com.example.Mail", on: bench, group: nil)
            #expect(mailAgain.auth.currentUser?.uid == "x")
            try mailAgain.auth.signOut()
            let calendarAtLast = try ListeningApp("com.example.Calendar", on: bench, group: nil)
            #expect(await calendarAtLast.failure() == nil)
        }

        @Test("A sign-out by an earlier version counts in the collection that took the place")
        func earlierVersion() async throws {
            let bench = Bench(try Daemons.own(.gnomeKeyring))
            defer { bench.keyring.shutdown() }
            try await ListeningApp("com.example.Mail", on: bench).signIn("x")
            try bench.keyring.replaceCollection()
            // The record of an earlier version names no collection.
            let account = Account(
                profile: UserProfile(uid: "y"),
                tokens: .scripted("y", "1"),
                project: bench.project,
                issuer: Account.ownIssuer
            )
            let payload = try UserRecord().signingIn(account).encoded()
            let slots = UserSlots(store: bench.store, appID: "", project: bench.project, instance: AuthApp.defaultName)
            let key = try slots.key(.group(Bench.group))
            try bench.store.update(key, by: bench.deadline) { _ in .write(payload) }
            let mail = try ListeningApp("com.example.Mail", on: bench, group: nil)
            #expect(await mail.failure() == nil)
            #expect(mail.hearsFirst("y"))
            try bench.store.update(key, by: bench.deadline) { _ in .delete }
            #expect(mail.hears("signed out"))
            #expect(await (try ListeningApp("com.example.Mail", on: bench, group: nil)).failure() == nil)
        }

        @Test("A sign-out counts although the user has deleted the collection's mark", arguments: kinds)
        func deletedMark(_ kind: DaemonKind) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            try await mail.signIn("x")
            let calendar = try ListeningApp("com.example.Calendar", on: bench)
            #expect(calendar.hearsFirst("x"))
            let marks = try bench.service.items(matching: ["sharedauth-scope": "collection"]).unlocked
            #expect(!marks.isEmpty)
            for mark in marks { try mark.delete() }
            try mail.auth.signOut()
            #expect(calendar.hears("signed out"))
            let calendarAgain = try ListeningApp("com.example.Calendar", on: bench, group: nil)
            #expect(await calendarAgain.failure() == nil)
        }

        @Test("The way out of a replaced collection is a sign-out, too")
        func signedOut() async throws {
            let bench = Bench(try Daemons.own(.gnomeKeyring))
            defer { bench.keyring.shutdown() }
            try await ListeningApp("com.example.Mail", on: bench).signIn("x")
            try bench.keyring.replaceCollection()
            let mail = try ListeningApp("com.example.Mail", on: bench, group: nil)
            #expect(await mail.failure()?.code == .keyringChanged)
            try mail.auth.signOut()
            #expect(mail.hearsFirst("signed out"))
            #expect(await (try ListeningApp("com.example.Mail", on: bench, group: nil)).failure() == nil)
        }
    }
}

extension ListeningApp {
    /// Waits for the first load, and returns the reason why the user is not known; nil if it is.
    fileprivate func failure() async -> AuthError? {
        _ = await auth.ready()
        return auth.failure
    }
}
