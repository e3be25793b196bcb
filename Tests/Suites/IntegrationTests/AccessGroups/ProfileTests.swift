import TestSupport
import Testing

@testable import SharedAuth

/// Tests `reload`, profile changes and `delete`.
struct ProfileTests {
    static let group = "group.example.profile"

    @Test("reload saves the profile and calls no listener", arguments: [nil, group])
    func reload(group: String?) async throws {
        let app = try await TestApp.signedIn("x", in: group)
        let user = try #require(app.auth.currentUser)
        app.identity.setProfile(UserProfile(uid: "x", email: "x@example.com", displayName: "X"))
        try await user.reload()
        #expect(app.auth.currentUser === user)
        #expect(user.displayName == "X")
        #expect(app.announcements().isEmpty)
        #expect(try app.auth.getStoredUser(forAccessGroup: group)?.email == "x@example.com")
    }

    @Test("An unchanged profile is not written again")
    func unchanged() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        let before = try world.contents()
        try await user.reload()
        #expect(try world.contents() == before)
    }

    @Test("A reload with an expired token refreshes and announces the token")
    func expired() async throws {
        let app = try TestApp(AppFixture())
        app.identity.expect(.scripted("x", lasting: -1))
        let user = try await app.auth.signIn(withEmail: "person@example.com", password: "password").user
        _ = app.announcements()
        try await user.reload()
        #expect(app.announcements() == .token("x"))
        #expect(try app.auth.getStoredUser(forAccessGroup: nil)?.refreshToken == "x/refresh/refreshed-1")
    }

    @Test("A profile change is saved and calls no listener")
    func change() async throws {
        let app = try await TestApp.signedIn("x", in: Self.group)
        let user = try #require(app.auth.currentUser)
        let request = user.createProfileChangeRequest()
        request.displayName = "New"
        try await request.commitChanges()
        #expect(user.displayName == "New")
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try app.auth.getStoredUser(forAccessGroup: Self.group)?.displayName == "New")
    }

    @Test("delete signs the user out of the slot", arguments: [nil, group])
    func delete(group: String?) async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", in: group, world)
        let user = try #require(app.auth.currentUser)
        try await user.delete()
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements() == .both(nil))
        #expect(try world.items().isEmpty)
    }
}
