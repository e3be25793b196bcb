import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// What apps announce of signals that no real daemon can be brought to send at will.
struct FakeSignalTests {
    private func apps(_ fake: Fake) async throws -> (mail: ListeningApp, calendar: ListeningApp) {
        let mail = try ListeningApp("com.example.Mail", on: fake.bench)
        let calendar = try ListeningApp("com.example.Calendar", on: fake.bench)
        #expect(calendar.hears("nobody"))
        try await mail.signIn("x")
        #expect(calendar.hears("x"))
        return (mail, calendar)
    }

    @Test("A storm of signals leads to few reads, and to the last state")
    func storm() async throws {
        let fake = try Fake()
        let (mail, calendar) = try await apps(fake)
        try fake.tell("signals=3000")
        _ = calendar.calls.take()
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
        try await mail.signIn("z")
        #expect(calendar.hears("z"))
        // Of at least 3000 signals for each of the two; how many come during a look is the machine's affair.
        #expect(calendar.calls.take().count { $0 == "GetSecret" } < 3000)
    }

    @Test("Locking takes nobody away, and unlocking tells what happened meanwhile")
    func lockAndUnlock() async throws {
        let fake = try Fake()
        let (mail, calendar) = try await apps(fake)
        try fake.tell("lock")
        do throws(AuthError) {
            _ = try calendar.auth.getStoredUser(forAccessGroup: Bench.group)
            Issue.record("it was not locked")
        } catch {
            #expect(error.code == .keyringLocked)
        }
        #expect(calendar.auth.currentUser?.uid == "x")
        try fake.tell("unlock")
        try await mail.signIn("y")
        #expect(calendar.hears("y"))
    }

    @Test("An app that started while it was locked announces the user once it is unlocked")
    func startedLocked()
        async throws
    {
        let fake = try Fake()
        _ = try await apps(fake)
        try fake.tell("lock")
        let late = try ListeningApp("com.example.Calendar", on: fake.bench, group: nil)
        guard case .locked = await late.auth.ready() else {
            Issue.record("not locked: \(late.auth.state)")
            return
        }
        try fake.tell("unlock")
        #expect(late.hears("x"))
    }

    @Test("A collection that is removed makes the keyring unavailable, and signs nobody out")
    func collectionRemoved()
        async throws
    {
        let fake = try Fake()
        let (_, calendar) = try await apps(fake)
        try fake.tell("remove")
        do throws(AuthError) {
            _ = try calendar.auth.getStoredUser(forAccessGroup: Bench.group)
            Issue.record("it was available")
        } catch {
            #expect(error.code == .keyringUnavailable)
        }
        #expect(calendar.auth.currentUser?.uid == "x")
    }
}
