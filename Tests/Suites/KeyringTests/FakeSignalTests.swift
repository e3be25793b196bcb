import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the announcements of apps for signals that no real daemon sends on demand.
struct FakeSignalTests {
    private func apps(_ fake: Fake) async throws -> (mail: ListeningApp, calendar: ListeningApp) {
        let mail = try ListeningApp("com.example.Mail", on: fake.bench)
        let calendar = try ListeningApp("com.example.Calendar", on: fake.bench)
        #expect(calendar.hears("signed out"))
        try await mail.signIn("x")
        #expect(calendar.hears("x"))
        return (mail, calendar)
    }

    @Test("A storm of signals causes few reads, and the last state is announced")
    func storm() async throws {
        let fake = try Fake()
        let (mail, calendar) = try await apps(fake)
        try fake.tell("signals=3000")
        _ = calendar.calls.take()
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
        try await mail.signIn("z")
        #expect(calendar.hears("z"))
        // Each of the two writes causes at least 3000 signals. How many arrive during one read depends on the machine.
        #expect(calendar.calls.take().count { $0 == "GetSecret" } < 3000)
    }

    @Test("Locking signs no user out, and unlocking announces the changes made meanwhile")
    func lockAndUnlock() async throws {
        let fake = try Fake()
        let (mail, calendar) = try await apps(fake)
        // Unlocking takes a prompt, which nobody asks for.
        try fake.tell("prompts=complete")
        try fake.tell("lock")
        do throws(AuthError) {
            _ = try calendar.auth.getStoredUser(forAccessGroup: Bench.group)
            Issue.record("the keyring was not locked")
        } catch {
            #expect(error.code == .keyringLocked)
        }
        #expect(calendar.auth.currentUser?.uid == "x")
        try fake.tell("unlock")
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
    }

    @Test("An app started with a locked keyring announces the user after the unlock")
    func startedLocked()
        async throws
    {
        let fake = try Fake()
        _ = try await apps(fake)
        try fake.tell("prompts=complete")
        try fake.tell("lock")
        let late = try ListeningApp("com.example.Calendar", on: fake.bench, group: nil)
        guard case .locked = await late.auth.ready() else {
            Issue.record("not locked: \(late.auth.state)")
            return
        }
        try fake.tell("unlock")
        #expect(late.hears("x"))
    }

    @Test("A removed collection makes the keyring unavailable and signs no user out")
    func collectionRemoved()
        async throws
    {
        let fake = try Fake()
        let (_, calendar) = try await apps(fake)
        try fake.tell("remove")
        do throws(AuthError) {
            _ = try calendar.auth.getStoredUser(forAccessGroup: Bench.group)
            Issue.record("the keyring was available")
        } catch {
            #expect(error.code == .keyringUnavailable)
        }
        #expect(calendar.auth.currentUser?.uid == "x")
    }
}
