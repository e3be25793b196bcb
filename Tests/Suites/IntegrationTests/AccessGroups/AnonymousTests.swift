import TestSupport
import Testing

@testable import SharedAuth

/// Tests `signInAnonymously`, in particular a repeated call.
struct AnonymousTests {
    static let group = "group.example.anonymous"

    @Test(
        "A current anonymous user stays the same object, without a call or announcement",
        arguments: [nil, group]
    )
    func staysCurrent(group: String?) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(group)
        let first = try await signIn(app, as: "n")
        #expect(first.additionalUserInfo?.isNewUser == true)
        _ = app.announcements()
        let before = try world.contents()

        // The script has no users left: a call to the identity provider would fail.
        let second = try await app.auth.signInAnonymously()
        #expect(second.user === first.user)
        #expect(second.additionalUserInfo == nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("A new anonymous user replaces a user who has a credential")
    func replacesOthers() async throws {
        let app = try await TestApp.signedIn("x")
        let result = try await signIn(app, as: "n")
        #expect(result.user.isAnonymous)
        #expect(app.announcements() == .both("n"))
    }

    /// In Firebase, saving the current user again brings back a user whom a peer has signed out.
    @Test("An anonymous user signed out by a peer stays out; the next sign-in is a new user")
    func noResurrection() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let gone = try await signIn(app, as: "n").user
        try world.peer(Self.group).auth.signOut()
        _ = app.announcements()

        let result = try await signIn(app, as: "m")
        #expect(result.user !== gone)
        #expect(result.user.uid == "m")
        #expect(app.announcements() == .both(nil, "m"))
        #expect(try await app.auth.storedUsers(inAccessGroup: Self.group).map(\.uid) == ["m"])
    }

    @Test("The anonymous user that a peer signed in meanwhile is adopted and returned")
    func adoptsPeers() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        _ = try await signIn(app, as: "n")
        try await world.peer(Self.group).signIn("m", anonymous: true)
        _ = app.announcements()
        let before = try world.contents()

        let result = try await app.auth.signInAnonymously()
        #expect(result.user.uid == "m")
        #expect(result.additionalUserInfo == nil)
        #expect(app.announcements() == .both("m"))
        #expect(try world.contents() == before)
    }

    /// Scripts one anonymous user at the identity provider, then signs in.
    private func signIn(_ app: TestApp, as uid: String) async throws -> AuthDataResult {
        app.identity.expect(.scripted(uid, anonymous: true))
        return try await app.auth.signInAnonymously()
    }
}
