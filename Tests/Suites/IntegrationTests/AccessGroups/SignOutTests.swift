import TestSupport
import Testing

@testable import SharedAuth

/// Tests `signOut` and `AuthApp.delete`, and what they leave unchanged.
struct SignOutTests {
    static let group = "group.example.signout"

    @Test("Signing out empties only the current slot and is announced once", arguments: [nil, group])
    func signsOut(group: String?) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(group)
        try await app.signIn("x")
        let other = group == nil ? Self.group : nil
        try await world.put("o", into: other)
        _ = app.announcements()

        try app.auth.signOut()
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == group)
        #expect(app.announcements() == .both(nil))
        #expect(try world.items(in: world.key(group)).isEmpty)
        #expect(try app.stored(other) == "o")
        try app.auth.signOut()
        #expect(app.announcements().isEmpty)
    }

    @Test("Without a current user, a sign-out leaves an unknown stored user alone")
    func nobody() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        try await world.put("y", into: Self.group)
        _ = app.announcements()
        let before = try world.contents()
        try app.auth.signOut()
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("If the record cannot be deleted, the user stays signed in", arguments: [nil, group])
    func undeletable(group: String?) async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try await TestApp.signedIn("x", in: group, world, interceptor: fault.interceptor)
        let user = try #require(app.auth.currentUser)
        let before = try world.contents()
        fault.fail("Delete")
        expectFailure(.keychainError) { try app.auth.signOut() }
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("Signing out after a peer's unnoticed sign-out keeps it and is no error")
    func both() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        try await app.signIn("x")
        try world.peer(Self.group).auth.signOut()
        _ = app.announcements()
        try app.auth.signOut()
        #expect(app.announcements() == .both(nil))
        #expect(try world.items().isEmpty)
    }

    @Test("Deleting the app empties its own slot, keeps group and choice, unannounced")
    func deletedApp() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        try await app.signIn("y")
        try await world.put("x", into: nil)
        _ = app.announcements()
        let before = try world.contents()

        try await app.app.delete()
        #expect(app.announcements().isEmpty)
        #expect(try world.items(in: world.key(nil)).isEmpty)
        let after = try world.contents()
        #expect(after.items == before.items.filter { $0.attributes["sharedauth-scope"] == "group:\(Self.group)" })
        #expect(after.choices == before.choices)
        #expect(try TestApp(world).auth.currentUser?.uid == "y")
    }
}
