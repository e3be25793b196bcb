import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the migration that Firebase documents: keep the user, join the group, then make that user current there.
///
/// Listeners are to receive nil, then the user. In Firebase they read the current user on delivery: in an app that does
/// not yield between the steps, they get the user twice, or state listeners are not called.
struct MigrationByHandTests {
    static let group = "group.example.hand"

    @Test("Both kinds of listener receive nil, then the user, if the app yields in between")
    func yielding() async throws {
        let app = try await TestApp.signedIn("x")
        let user = try #require(app.auth.currentUser)
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.announcements() == .both(nil))
        #expect(try app.stored(nil) == nil)
        try await app.auth.updateCurrentUser(user)
        #expect(app.announcements() == .both("x"))
        #expect(app.auth.currentUser === user)
        #expect(try app.stored(Self.group) == "x")
    }

    @Test("Listeners receive the same if nothing can be delivered until both steps are done")
    func neverYielding() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        try await app.whileBusy {
            try app.auth.useUserAccessGroup(Self.group)
            try await app.auth.updateCurrentUser(user)
            #expect(app.peek().isEmpty)
        }
        #expect(app.announcements() == .both(nil, "x"))
        #expect(app.auth.currentUser === user)
    }

    @Test("Sequences that are not read meanwhile deliver the same values")
    func sequences() async throws {
        let app = try await TestApp.signedIn("x")
        let user = try #require(app.auth.currentUser)
        var states = app.auth.authStateChanges.makeAsyncIterator()
        var tokens = app.auth.idTokenChanges.makeAsyncIterator()
        try app.auth.useUserAccessGroup(Self.group)
        try await app.auth.updateCurrentUser(user)
        for expected in ["x", nil, "x"] {
            #expect(await states.next()??.uid == expected)
            #expect(await tokens.next()??.uid == expected)
        }
    }

    @Test("Migrating from the group back to the app's own slot works the same way")
    func back() async throws {
        let app = try await TestApp.signedIn("x", in: Self.group)
        let user = try #require(app.auth.currentUser)
        try app.auth.useUserAccessGroup(nil)
        try await app.auth.updateCurrentUser(user)
        #expect(app.announcements() == .both(nil, "x"))
        #expect(try app.stored(nil) == "x")
        // The group's user stays in the group's slot, as in Firebase.
        #expect(try app.stored(Self.group) == "x")
    }
}
