import TestSupport
import Testing

@testable import SharedAuth

/// `signInAnonymously`, of which the second call is the interesting one.
struct AnonymousTests {
    static let group = "group.example.anonymous"

    @Test(
        "A current anonymous user stays the same object, without call or announcement",
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

        // The script has no user left: asking the identity provider would fail.
        let second = try await app.auth.signInAnonymously()
        #expect(second.user === first.user)
        #expect(second.additionalUserInfo == nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("Over a user with a credential of their own, a new anonymous user signs in")
    func replacesOthers() async throws {
        let app = try await TestApp.signedIn("x")
        let result = try await signIn(app, as: "n")
        #expect(result.user.isAnonymous)
        #expect(app.announcements() == .both("n"))
    }

    /// In Firebase saving the present user again brings back whom a peer signed out.
    @Test("A user signed out by a peer stays out: the next anonymous sign-in is a new user")
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

    @Test("The anonymous user whom a peer signed in meanwhile is adopted and is the result")
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

    /// Lets the identity provider have one anonymous user to give.
    private func signIn(_ app: TestApp, as uid: String) async throws -> AuthDataResult {
        app.identity.expect(.scripted(uid, anonymous: true))
        return try await app.auth.signInAnonymously()
    }
}
