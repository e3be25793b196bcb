import TestSupport
import Testing

@testable import SharedAuth

/// Tests where refreshed tokens are saved and which listeners are called.
struct TokenTests {
    static let group = "group.example.token"
    static let other = "group.example.token2"

    @Test("A refresh of the current user is saved and announced to ID token listeners", arguments: [nil, group])
    func current(group: String?) async throws {
        let app = try await TestApp.signedIn("x", in: group)
        let user = try #require(app.auth.currentUser)
        #expect(try await user.getIDToken() == "x/id/1")
        #expect(app.identity.refreshes == 0)

        let token = try await user.getIDToken(forcingRefresh: true)
        #expect(token == "x/id/refreshed-1")
        #expect(app.auth.currentUser === user)
        #expect(app.announcements() == .token("x"))
        #expect(try app.auth.getStoredUser(forAccessGroup: group)?.refreshToken == "x/refresh/refreshed-1")
    }

    /// Firebase drops the tokens, so the next reader of the slot must refresh again.
    @Test("A refresh of a user in another slot is saved there and calls no listener", arguments: [nil, other])
    func elsewhere(slot: String?) async throws {
        let world = try AppFixture()
        try await world.put("y", into: slot)
        let app = try TestApp(world)
        let choice = slot == nil ? Self.group : nil
        if let choice { try app.auth.useUserAccessGroup(choice) }
        let current = try await app.signIn("x")
        if slot == nil { try await world.put("y", into: nil) }
        let user = try #require(try app.auth.getStoredUser(forAccessGroup: slot))
        _ = app.announcements()

        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(try app.auth.getStoredUser(forAccessGroup: slot)?.refreshToken == "y/refresh/refreshed-1")
        #expect(app.auth.currentUser === current)
        #expect(app.announcements().isEmpty)
        #expect(try app.auth.getStoredUser(forAccessGroup: choice)?.refreshToken == "x/refresh/1")
    }

    /// Firebase drops these, too: a reference from before a switch to the same group is no longer the current user.
    @Test("A refresh through a stale reference is saved and updates the current object")
    func stale() async throws {
        let app = try TestApp(AppFixture())
        try app.auth.useUserAccessGroup(Self.group)
        let current = try await app.signIn("x")
        let stale = try #require(try app.auth.getStoredUser(forAccessGroup: Self.group))
        #expect(current !== stale)
        _ = app.announcements()

        _ = try await stale.getIDToken(forcingRefresh: true)
        #expect(app.auth.currentUser === current)
        #expect(current.refreshToken == "x/refresh/refreshed-1")
        #expect(app.announcements() == .token("x"))
    }

    @Test("A refresh through a reference to a former group changes only the user there")
    func left() async throws {
        let app = try TestApp(AppFixture())
        try app.auth.useUserAccessGroup(Self.group)
        let left = try await app.signIn("x")
        try app.auth.useUserAccessGroup(Self.other)
        let present = try await app.signIn("x", "other")
        _ = app.announcements()

        _ = try await left.getIDToken(forcingRefresh: true)
        #expect(try app.auth.getStoredUser(forAccessGroup: Self.group)?.refreshToken == "x/refresh/refreshed-1")
        #expect(present.refreshToken == "x/refresh/other")
        #expect(app.announcements().isEmpty)
    }

    @Test("A refresh adopts a peer's newer tokens instead of requesting more")
    func refreshedByPeer() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let user = try await app.signIn("x")
        let peer = try world.peer(Self.group)
        _ = try await peer.auth.currentUser?.getIDToken(forcingRefresh: true)
        _ = app.announcements()

        #expect(try await user.getIDToken(forcingRefresh: true) == "x/id/refreshed-1")
        #expect((app.identity.refreshes, peer.identity.refreshes) == (0, 1))
        #expect(app.auth.currentUser === user)
        #expect(app.announcements() == .token("x"))
    }

    /// Returns an app whose user has newer tokens than the slot, because saving them failed.
    private func unsavedTokens(in world: AppFixture) async throws -> (app: TestApp, user: User) {
        let fault = Fault()
        let app = try await TestApp.signedIn("x", world, interceptor: fault.interceptor)
        let user = try #require(app.auth.currentUser)
        fault.fail("CreateItem")
        await expectFailure(.keychainError) {
            _ = try await user.getIDToken(forcingRefresh: true)
        }
        return (app, user)
    }

    @Test("Unsaved tokens are not replaced by older ones and are saved with the next change")
    func unsavedTokensLast() async throws {
        for saves in ["refresh", "reload", "profile"] {
            let world = try AppFixture()
            let (app, user) = try await unsavedTokens(in: world)
            // Any read of the slot returns older tokens.
            _ = app.auth.engine.rereadSlot()
            #expect(user.refreshToken == "x/refresh/refreshed-1")
            switch saves {
            case "refresh": _ = try await user.getIDToken(forcingRefresh: true)
            case "reload": try await user.reload()
            default:
                let request = user.createProfileChangeRequest()
                request.displayName = "X"
                try await request.commitChanges()
            }
            let saved = saves == "refresh" ? "x/refresh/refreshed-2" : "x/refresh/refreshed-1"
            #expect(user.refreshToken == saved)
            let record = try world.record(nil, appID: "com.example.Mail")
            #expect(record.currentAccount?.tokens.refreshToken == saved)
            try world.sweep()
        }
    }

    @Test("A peer's newer tokens take precedence over unsaved ones")
    func peersTokens() async throws {
        let world = try AppFixture()
        let (app, user) = try await unsavedTokens(in: world)
        try world.put(world.account("x", "peer"), in: nil, appID: "com.example.Mail")
        #expect(try await user.getIDToken(forcingRefresh: true) == "x/peer")
        #expect(user.refreshToken == "x/peer")
        #expect(app.auth.currentUser === user)
    }
}
