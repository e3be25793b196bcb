import Foundation
import TestSupport
import Testing

@testable import SharedAuth

/// Tests apps that do not use a fleet, in an access group that a fleet keeps.
struct KeptOnFleetTests {
    private static let group = "group.example.fleet"
    private let store = InMemoryRecordStore()
    private let identity = ScriptedIdentity()

    /// Makes an app whose group shows these users of a fleet, of whom the last is current.
    private func app(showing uids: [String] = ["x"], asOf date: Date? = nil) throws -> AuthApp {
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "test",
            identityProvider: identity.source,
            store: .inMemory(store),
            observesOtherProcesses: false
        )
        let app = try AuthApp(unregistered: options)
        let record = uids.reduce(UserRecord()) { record, uid in
            let grant = IdentityGrant.scripted(uid)
            let account = Account(
                profile: grant.profile,
                tokens: grant.tokens,
                project: "test",
                issuer: identity.issuer
            )
            return record.signingIn(account, keepingOthers: true)
        }
        let key = RecordKey(scope: .group(Self.group), project: "test", instance: "default", kind: "user")
        let payload = try record.viewed(asOf: date).encoded()
        try store.update(key, by: .patient) { _ in .write(payload) }
        return app
    }

    private func joined(showing uids: [String] = ["x"], asOf date: Date? = nil) throws -> AuthApp {
        let app = try app(showing: uids, asOf: date)
        try app.auth.useUserAccessGroup(Self.group)
        return app
    }

    @Test("An app without the fleet shows who is signed in, and as of when")
    func shows() throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let app = try joined(asOf: date)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(app.auth.stateAsOf == date)
        #expect(try app.auth.getStoredUser(forAccessGroup: Self.group)?.uid == "x")
        #expect(try self.app(showing: []).auth.stateAsOf == nil)
    }

    @Test("Sign-in, sign-out, switch and refresh are refused, before a server is asked")
    func refuses() async throws {
        let app = try joined(showing: ["y", "x"])
        let (auth, user) = (app.auth, try #require(app.auth.currentUser))
        // The script has no users: a sign-in that asked it would fail with another error.
        let error = await expectFailure(.keptOnFleet) {
            try await auth.signIn(withEmail: "a@example.com", password: "password")
        }
        #expect(
            error?.message.contains(Self.group) == true && error?.remedy?.contains("sharedauth fleet leave") == true
        )
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
        #expect(identity.refreshes == 0)
        #expect(auth.currentUser?.uid == "x")
    }

    @Test("A group that a fleet keeps refuses a sign-in also while no user is signed in")
    func signedOut() async throws {
        let app = try joined(showing: [])
        #expect(app.auth.currentUser == nil)
        await expectFailure(.keptOnFleet) {
            try await app.auth.signIn(withEmail: "a@example.com", password: "password")
        }
    }

    @Test("No user is moved into a group that a fleet keeps, or out of it")
    func migrations() async throws {
        let app = try joined()
        let auth = app.auth
        await expectFailure(.keptOnFleet) { try await auth.migrateCurrentUser(toAccessGroup: nil) }
        #expect(auth.userAccessGroup == Self.group && auth.currentUser?.uid == "x")
        let user = try #require(auth.currentUser)
        try auth.useUserAccessGroup(nil)
        #expect(auth.currentUser == nil)
        await expectFailure(.keptOnFleet) { try await auth.updateCurrentUser(user) }
        #expect(auth.currentUser == nil)
        identity.expect(.scripted("own"))
        try await auth.signIn(withEmail: "a@example.com", password: "password")
        await expectFailure(.keptOnFleet) {
            try await auth.migrateCurrentUser(toAccessGroup: Self.group, policy: .replace)
        }
        #expect(auth.userAccessGroup == nil && auth.currentUser?.uid == "own")
        #expect(try auth.getStoredUser(forAccessGroup: Self.group)?.uid == "x")
    }
}
