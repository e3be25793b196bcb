import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// The migration that Firebase documents: join the group with a user in hand, then make that user current there.
///
/// It promises "nil, then the user". In Firebase listeners read the current user when they are delivered, so an app that
/// does not yield between the steps hears "user, user", or its state listeners nothing at all.
struct MigrationByHandTests {
    static let group = "group.example.hand"

    @Test("Both kinds of listener hear nil, then the user, if the app yields in between")
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

    @Test("They hear the same when nothing can be delivered before both steps are done")
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

    @Test("From the group back to the own slot it goes the same way")
    func back() async throws {
        let app = try await TestApp.signedIn("x", in: Self.group)
        let user = try #require(app.auth.currentUser)
        try app.auth.useUserAccessGroup(nil)
        try await app.auth.updateCurrentUser(user)
        #expect(app.announcements() == .both(nil, "x"))
        #expect(try app.stored(nil) == "x")
        // By hand, the group's user stays where they were, as in Firebase.
        #expect(try app.stored(Self.group) == "x")
    }
}
