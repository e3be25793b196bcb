import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests the behaviour after the identity provider has rejected a user.
struct ForcedSignOutTests {
    static let group = "group.example.forced"
    static let other = "group.example.forced2"
    static let codes: [AuthErrorCode] = [.userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled]

    enum Act: CaseIterable { case refresh, reload, change, delete }

    @Test("A rejected user is signed out, and the slot is emptied", arguments: codes, Act.allCases)
    func signedOut(code: AuthErrorCode, act: Act) async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", in: Self.group, world)
        let user = try #require(app.auth.currentUser)
        app.identity.fail(code)
        await expectFailure(code) { try await Self.perform(act, user) }
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements() == .both(nil))
        #expect(try world.items().isEmpty)
    }

    @Test("Other failures leave the user signed in", arguments: Act.allCases)
    func staysSignedIn(act: Act) async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world)
        let user = try #require(app.auth.currentUser)
        let before = try world.contents()
        app.identity.fail(.networkError)
        await expectFailure(.networkError) { try await Self.perform(act, user) }
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    /// In Firebase, one process with a stale token empties the slot for all.
    @Test(
        "Tokens in the slot that are newer than the rejected ones keep the user signed in",
        arguments: codes
    )
    func betterTokens(code: AuthErrorCode) async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let user = try await app.signIn("x")
        let peer = try world.peer(Self.group)
        _ = app.announcements()
        app.identity.duringRefresh { _ = try? await peer.signIn("x", "better") }
        app.identity.fail(code)

        #expect(try await user.getIDToken(forcingRefresh: true) == "x/id/better")
        #expect(app.auth.currentUser === user)
        #expect(app.announcements() == .token("x"))
        #expect(try app.auth.getStoredUser(forAccessGroup: Self.group)?.refreshToken == "x/refresh/better")
    }

    @Test("A rejected reload is repeated with the tokens that arrived meanwhile")
    func betterTokensForReload() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        let user = try await app.signIn("x")
        try await world.peer(Self.group).signIn("x", "better")
        _ = app.announcements()
        app.identity.fail(.userTokenExpired)
        try await user.reload()
        #expect(app.auth.currentUser === user)
        #expect(user.refreshToken == "x/refresh/better")
        #expect(app.announcements() == .token("x"))
        #expect(try app.stored(Self.group) == "x")
    }

    @Test("A rejected call is repeated only once, however often a peer stores newer tokens")
    func repeatedOnce() async throws {
        let world = try AppFixture()
        let server = ScriptedServer(issuer: Account.ownIssuer)
        let app = try TestApp(world) { $0.identityProvider = server.source }
        try app.auth.useUserAccessGroup(Self.group)
        server.answer(.server("x", .server("x", "1")))
        let user = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
        let peer = try world.peer(Self.group)
        _ = server.takeCalls()
        server.duringCalls { _ = try? await peer.signIn("x", "newer-\(server.calls.count)") }
        for _ in 0..<4 { server.fail(.userTokenExpired) }
        await expectFailure(.userTokenExpired) { try await user.reload() }
        #expect(server.calls == ["profile", "profile"])
        #expect(try app.stored(Self.group) == "x")
    }

    enum LockFree: CaseIterable { case reload, email, delete }

    @Test(
        "A call rejected during a peer's password change waits for it and is repeated",
        arguments: LockFree.allCases
    )
    func peersPasswordChange(act: LockFree) async throws {
        let world = try AppFixture()
        let (base, server, peerServer) = (InMemoryRecordStore(), ScriptedServer(), ScriptedServer())
        let (ended, end) = AsyncStream<Void>.makeStream()
        let store = FaultInjectingStore(base)
        store.before(.acquire("refresh"), times: nil) { _ in end.yield() }
        let app = try TestApp(world) { options in
            options.store = .custom(store)
            options.identityProvider = server.source
        }
        server.answer(.server("x", .server("x", "1")))
        let user = try await app.auth.signIn(withEmail: "ada@example.com", password: "secret").user
        let peer = try TestApp(world) { options in
            options.store = .custom(base)
            options.identityProvider = peerServer.source
        }
        let (begun, beginner) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        peerServer.answer(.server("x", .server("x", "2")))
        peerServer.duringCalls {
            beginner.yield()
            for await _ in gate { break }
        }
        let theirs = try #require(peer.auth.currentUser)
        async let change: Void = theirs.updatePassword(to: "secret-2")
        for await _ in begun { break }
        server.fail(.userTokenExpired)
        let call = Task {
            defer { end.yield() }
            switch act {
            case .reload: try await user.reload()
            case .email: try await user.sendEmailVerification()
            case .delete: try await user.delete()
            }
        }
        // The call has either requested its turn or ended without one.
        for await _ in ended { break }
        opener.yield()
        try await change
        try await call.value
        #expect(user.refreshToken == "x/refresh/2")
        #expect(app.auth.currentUser === (act == .delete ? nil : user))
        let stored = try app.auth.getStoredUser(forAccessGroup: nil)
        #expect(stored?.refreshToken == (act == .delete ? nil : "x/refresh/2"))
    }

    @Test("Rejected old tokens do not end the session while newer tokens are still unsaved")
    func unsavedNewerTokens() async throws {
        let fault = Fault()
        let app = try await TestApp.signedIn("x", interceptor: fault.interceptor)
        let user = try #require(app.auth.currentUser)
        let old = user.snapshot.tokens
        fault.fail("CreateItem")
        await expectFailure(.keychainError) { _ = try await user.getIDToken(forcingRefresh: true) }
        await app.auth.engine.signOut(user, of: .own, ifItHas: old)
        #expect(app.auth.currentUser === user)
        let newest = user.snapshot.tokens
        await app.auth.engine.signOut(user, of: .own, ifItHas: newest)
        #expect(app.auth.currentUser == nil)
    }

    @Test("A user of another slot is signed out there; the current user stays signed in")
    func elsewhere() async throws {
        let world = try AppFixture()
        let app = try TestApp(world)
        let current = try await app.signIn("x")
        try await world.put("x", "other", into: Self.other)
        let user = try #require(try app.auth.getStoredUser(forAccessGroup: Self.other))
        _ = app.announcements()
        app.identity.fail(.userDisabled)
        await expectFailure(.userDisabled) {
            _ = try await user.getIDToken(forcingRefresh: true)
        }
        #expect(app.auth.currentUser === current)
        #expect(app.announcements().isEmpty)
        #expect(try app.stored(Self.other) == nil)
        #expect(try app.stored(nil) == "x")
    }

    private static func perform(_ act: Act, _ user: User) async throws(AuthError) {
        switch act {
        case .refresh: _ = try await user.getIDToken(forcingRefresh: true)
        case .reload: try await user.reload()
        case .change: try await user.createProfileChangeRequest().commitChanges()
        case .delete: try await user.delete()
        }
    }
}
