import TestSupport
import Testing

@testable import SharedAuth

/// Tests `updateCurrentUser`, which makes any user current explicitly.
struct UpdateCurrentUserTests {
    static let group = "group.example.update"

    @Test("nil is refused and changes nothing")
    func nobody() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        let before = try world.contents()
        let error = await withCheckedContinuation { continuation in
            app.auth.updateCurrentUser(nil) { continuation.resume(returning: $0) }
        }
        #expect(error?.code == .nullUser)
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("The given object becomes current and is stored in the current slot", arguments: [nil, group])
    func becomesCurrent(group: String?) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(group)
        try await app.signIn("x")
        try await world.put("y", into: "group.example.elsewhere")
        let y = try #require(try app.auth.getStoredUser(forAccessGroup: "group.example.elsewhere"))
        _ = app.announcements()

        try await app.auth.updateCurrentUser(y)
        #expect(app.auth.currentUser === y)
        #expect(app.announcements() == .both("y"))
        #expect(try app.stored(group) == "y")
        // The user is copied, not moved.
        #expect(try app.stored("group.example.elsewhere") == "y")
        // Later refreshes are saved in the current slot.
        _ = try await y.getIDToken(forcingRefresh: true)
        #expect(try app.auth.getStoredUser(forAccessGroup: group)?.refreshToken == y.refreshToken)
        #expect(
            try app.auth.getStoredUser(forAccessGroup: "group.example.elsewhere")?.refreshToken == "y/refresh/1"
        )
    }

    @Test("The current user is stored again, and announced only with another token")
    func same() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        let before = try world.contents()
        try await app.auth.updateCurrentUser(user)
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() != before)

        let other = User(try account("x", "2", world), auth: nil, slot: nil)
        try await app.auth.updateCurrentUser(other)
        #expect(app.auth.currentUser === other)
        #expect(app.announcements() == .token("x"))
    }

    @Test("A user of another tenant is refused in both directions", arguments: ["t", nil])
    func otherTenant(ours: String?) async throws {
        let theirs = ours == nil ? "t" : nil
        let world = try AppFixture()
        let app = try TestApp(world)
        let user = try await app.signIn("x", tenantID: ours)
        #expect(app.auth.tenantID == ours)
        var account = try account("y", "1", world)
        account.profile.tenantID = theirs
        let other = User(account, auth: nil, slot: nil)
        _ = app.announcements()
        let before = try world.contents()
        await expectFailure(.tenantIDMismatch) {
            try await app.auth.updateCurrentUser(other)
        }
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("A user of another project is looked up in ours first and then belongs to ours")
    func otherProject() async throws {
        let (world, foreign) = (try AppFixture(), try AppFixture())
        let app = try TestApp(world)
        try await app.signIn("x")
        let user = try await TestApp(foreign).signIn("y")
        app.identity.setProfile(UserProfile(uid: "y", displayName: "as known here"))
        _ = app.announcements()

        try await app.auth.updateCurrentUser(user)
        #expect(app.auth.currentUser === user)
        #expect(user.snapshot.project == world.project)
        #expect(user.displayName == "as known here")
        #expect(app.announcements() == .both("y"))
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.displayName == "as known here")
    }

    @Test(
        "A user of another project who is unknown in ours is refused at every attempt",
        arguments: [AuthErrorCode.invalidAPIKey, .networkError, .userTokenExpired]
    )
    func unknownInProject(code: AuthErrorCode) async throws {
        let (world, foreign) = (try AppFixture(), try AppFixture())
        let app = try TestApp(world)
        let current = try await app.signIn("x")
        let theirs = try TestApp(foreign)
        let user = try await theirs.signIn("y")
        _ = app.announcements()
        let before = (try world.contents(), try foreign.contents())

        // In Firebase the second call would not contact the server again.
        for _ in 0..<2 {
            app.identity.fail(code)
            await expectFailure(code) { try await app.auth.updateCurrentUser(user) }
        }
        #expect(app.auth.currentUser === current)
        #expect(app.announcements().isEmpty)
        #expect(user.snapshot.project == foreign.project)
        #expect(try world.contents() == before.0)
        #expect(try foreign.contents() == before.1)
    }

    /// In Firebase the user stays with the other `Auth`, and refreshes are lost.
    @Test("A user of another Auth belongs to this one afterwards")
    func otherAuth() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let elsewhere = try TestApp(world, appID: "com.example.Calendar")
        let user = try await elsewhere.signIn("x")

        try await app.auth.updateCurrentUser(user)
        _ = (app.announcements(), elsewhere.announcements())
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect((app.identity.refreshes, elsewhere.identity.refreshes) == (1, 0))
        #expect(app.announcements() == .token("x"))
        #expect(elsewhere.announcements().isEmpty)
        #expect(try app.auth.getStoredUser(forAccessGroup: Self.group)?.refreshToken == "x/refresh/refreshed-1")
        #expect(try elsewhere.auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/1")
    }

    @Test("It restores a user whom a peer has just signed out, and announces that once")
    func putsBack() async throws {
        let world = try AppFixture()
        let app = try TestApp(world, observesOtherProcesses: true)
        try app.auth.useUserAccessGroup(Self.group)
        let user = try await app.signIn("x")
        _ = app.heard(4)
        try world.peer(Self.group).auth.signOut()
        #expect(app.heard(2) == .both(nil))

        try await app.auth.updateCurrentUser(user)
        #expect(app.auth.currentUser === user)
        #expect(app.announcements() == .both("x"))
        #expect(try app.stored(Self.group) == "x")
    }

    @Test("A user whose sign-out by a peer was not noticed is restored without announcement")
    func putsBackUnheard() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let user = try await app.signIn("x")
        try world.peer(Self.group).auth.signOut()
        _ = app.announcements()
        try await app.auth.updateCurrentUser(user)
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try app.stored(Self.group) == "x")
    }

    private func account(_ uid: String, _ token: String, _ world: AppFixture) throws -> Account {
        Account(profile: UserProfile(uid: uid), tokens: .scripted(uid, token), project: world.project)
    }
}
