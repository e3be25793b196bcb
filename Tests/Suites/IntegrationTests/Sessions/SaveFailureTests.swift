import TestSupport
import Testing

@testable import SharedAuth

/// Tests the property that tells why nothing can be saved, with a real keyring.
struct SaveFailureTests {
    static let group = "group.example.locking"

    @Test(
        "A keyring that is locked while the app runs leaves the user signed in, and is told until it is open again",
        .timeLimit(.minutes(2))
    )
    func locking() async throws {
        let keyring = try PrivateKeyring()
        let app = try await TestApp.signedIn("x", in: Self.group, AppFixture(keyring), observesOtherProcesses: true)
        let user = try #require(app.auth.currentUser)
        var changes = app.auth.saveFailureChanges.makeAsyncIterator()
        #expect(try #require(await changes.next()) == nil)
        try keyring.lock()
        #expect(try #require(await changes.next())?.code == .keyringLocked)
        #expect(app.auth.saveFailure?.code == .keyringLocked)
        #expect(app.auth.currentUser === user)
        guard case .signedIn = app.auth.state else {
            Issue.record("\(app.auth.state)")
            return
        }
        try keyring.restartDaemon()
        while try #require(await changes.next()) != nil {}
        #expect(app.auth.saveFailure == nil)
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
    }

    @Test("Without observing, a call that fails tells it, and a later one that succeeds takes it back")
    func unobserved() async throws {
        let keyring = try PrivateKeyring()
        let app = try await TestApp.signedIn("x", AppFixture(keyring))
        let user = try #require(app.auth.currentUser)
        try keyring.lock()
        #expect(app.auth.saveFailure == nil)
        await expectFailure(.keyringLocked) { try await user.reload() }
        #expect(app.auth.saveFailure?.code == .keyringLocked)
        #expect(app.auth.currentUser === user)
        try keyring.restartDaemon()
        try await user.reload()
        #expect(app.auth.saveFailure == nil)
    }

    @Test("A state that could not be read in the first place has the same error")
    func unread() async throws {
        let app = try TestApp(AppFixture(PrivateKeyring(state: .locked)))
        guard case .locked = await app.auth.ready() else {
            Issue.record("\(app.auth.state)")
            return
        }
        #expect(app.auth.saveFailure?.code == .keyringLocked)
        var changes = app.auth.saveFailureChanges.makeAsyncIterator()
        #expect(try #require(await changes.next())?.code == .keyringLocked)
    }
}
