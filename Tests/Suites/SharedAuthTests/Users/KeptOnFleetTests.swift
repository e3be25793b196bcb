import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests apps that do not use a fleet, in an access group that a fleet keeps.
struct KeptOnFleetTests {
    private let app = MemoryApp()

    /// Starts the app in a group that shows these users of a fleet, of whom the last is current.
    private func start(showing uids: [String] = ["x"], asOf date: Date? = nil) throws -> Auth {
        let record = uids.reduce(UserRecord()) { $0.signingIn(app.account($1), keepingOthers: true) }
        let view = try record.viewed(asOf: date).encoded()
        try app.store.base.update(.shared, by: .patient) { _ in .write(view) }
        let auth = try app.start()
        try auth.useUserAccessGroup(app.group)
        return auth
    }

    @Test("An app without the fleet shows who is signed in, and as of when")
    func shows() throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let auth = try start(asOf: date)
        #expect(auth.currentUser?.uid == "x")
        #expect(auth.stateAsOf == date)
        #expect(try auth.getStoredUser(forAccessGroup: app.group)?.uid == "x")
        try auth.useUserAccessGroup(nil)
        #expect(auth.stateAsOf == nil)
    }

    @Test("Sign-in, sign-out, switch and refresh are refused, before a server is asked")
    func refuses() async throws {
        let auth = try start(showing: ["y", "x"])
        let user = try #require(auth.currentUser)
        // The script has no users: a sign-in that asked it would fail with another error.
        let error = await expectFailure(.keptOnFleet) {
            try await auth.signIn(withEmail: "a@example.com", password: "password")
        }
        #expect(error?.message.contains(app.group) == true)
        #expect(error?.remedy?.contains("sharedauth fleet leave") == true)
        await expectFailure(.keptOnFleet) { try await auth.signInAnonymously() }
        expectFailure(.keptOnFleet) { try auth.signOut() }
        expectFailure(.keptOnFleet) { try auth.signOutAll() }
        expectFailure(.keptOnFleet) { try auth.switchCurrentUser(toUID: "y") }
        await expectFailure(.keptOnFleet) { try await user.getIDToken() }
        await expectFailure(.keptOnFleet) { try await user.getIDToken(forcingRefresh: true) }
        await expectFailure(.keptOnFleet) { try await user.accessToken(forScopes: ["mail"]) }
        await expectFailure(.keptOnFleet) { try await user.reload() }
        await expectFailure(.keptOnFleet) {
            try await user.reauthenticate(with: EmailAuthProvider.credential(withEmail: "a@example.com", password: "p"))
        }
        #expect(app.identity.refreshes == 0)
        #expect(auth.currentUser?.uid == "x")
    }

    @Test("A group that a fleet keeps refuses a sign-in also while no user is signed in")
    func signedOut() async throws {
        let auth = try start(showing: [])
        #expect(auth.currentUser == nil)
        await expectFailure(.keptOnFleet) {
            try await auth.signIn(withEmail: "a@example.com", password: "password")
        }
    }

    @Test("No user is moved into a group that a fleet keeps, or out of it")
    func migrations() async throws {
        let auth = try start()
        await expectFailure(.keptOnFleet) { try await auth.migrateCurrentUser(toAccessGroup: nil) }
        #expect(auth.shown == Shown("x", in: .shared))
        let user = try #require(auth.currentUser)
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser == nil)
        await expectFailure(.keptOnFleet) { try await auth.updateCurrentUser(user) }
        #expect(auth.currentUser == nil)
        try await app.signIn("own", in: auth)
        await expectFailure(.keptOnFleet) {
            try await auth.migrateCurrentUser(toAccessGroup: app.group, policy: .replace)
        }
        #expect(auth.shown == Shown("own", in: .own))
        #expect(try auth.getStoredUser(forAccessGroup: app.group)?.uid == "x")
    }
}
