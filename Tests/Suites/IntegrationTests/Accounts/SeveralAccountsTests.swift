import TestSupport
import Testing

@testable import SharedAuth

/// Tests several accounts in one slot, for apps that opt in.
struct SeveralAccountsTests {
    static let group = "group.example.accounts"

    /// Returns an app of the group that keeps other users at sign-in.
    private func app(_ world: AppFixture, keeps: Bool = true, observesOtherProcesses: Bool = false) throws -> TestApp {
        let app = try TestApp(world, observesOtherProcesses: observesOtherProcesses) { $0.keepsOtherUsers = keeps }
        try app.auth.useUserAccessGroup(Self.group)
        return app
    }

    private func uids(_ app: TestApp) throws -> [String] {
        try app.auth.storedUsers(inAccessGroup: Self.group).map(\.uid)
    }

    @Test("Opted in, a sign-in keeps the others in one item, with the current one first")
    func keeps() async throws {
        let world = try AppFixture()
        let app = try app(world)
        for uid in ["x", "y", "z"] {
            _ = app.announcements()
            try await app.signIn(uid)
            #expect(app.announcements() == .both(uid))
        }
        #expect(try uids(app) == ["z", "x", "y"])
        #expect(try world.items().count == 1)
        #expect(try app.stored(Self.group) == "z")
        // Signing in the same user again adds no second account.
        try await app.signIn("x", "2")
        #expect(try uids(app) == ["x", "y", "z"])
        #expect(try TestApp(world).auth.currentUser?.uid == "x")
    }

    @Test("By default a sign-in replaces the current user and the one that the app shows")
    func replaces() async throws {
        let world = try AppFixture()
        let plain = try app(world, keeps: false)
        try await plain.signIn("x")
        try await plain.signIn("y")
        #expect(try uids(plain) == ["y"])

        let keeping = try TestApp(world, appID: "com.example.Peer") { $0.keepsOtherUsers = true }
        try keeping.auth.useUserAccessGroup(Self.group)
        try await keeping.signIn("z")
        #expect(try uids(plain) == ["z", "y"])
        try await plain.signIn("w")
        #expect(try uids(plain) == ["w"])
    }

    @Test("updateCurrentUser keeps the others only if the app opts in", arguments: [true, false])
    func update(keeps: Bool) async throws {
        let world = try AppFixture()
        let app = try app(world, keeps: keeps)
        try await app.signIn("x")
        let account = Account(profile: UserProfile(uid: "y"), tokens: .scripted("y", "1"), project: world.project)
        try await app.auth.updateCurrentUser(User(account, auth: nil, slot: nil))
        #expect(try uids(app) == (keeps ? ["y", "x"] : ["y"]))
    }

    @Test("A switch of current user is announced to all and survives a restart")
    func switching() async throws {
        let world = try AppFixture()
        let app = try app(world)
        let peer = try world.peer(Self.group, observesOtherProcesses: true)
        try await app.signIn("x")
        try await app.signIn("y")
        #expect(peer.heard { $0.last?.uid == "y" && $0.last?.kind == "token" }.last?.uid == "y")
        _ = app.announcements()

        try await app.auth.switchCurrentUser(toUID: "x")
        #expect(app.auth.currentUser?.uid == "x")
        #expect(app.announcements() == .both("x"))
        #expect(peer.heard(2) == .both("x"))
        #expect(try uids(app) == ["x", "y"])
        #expect(try TestApp(world).auth.currentUser?.uid == "x")
    }

    @Test("Switching to the current user keeps the object and writes nothing")
    func switchingToCurrent() async throws {
        let world = try AppFixture()
        let app = try app(world)
        let user = try await app.signIn("x")
        _ = app.announcements()
        let before = try world.contents()
        try await app.auth.switchCurrentUser(toUID: "x")
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("Switching to an absent user or one of another tenant changes nothing")
    func switchingRefused() async throws {
        let world = try AppFixture()
        let app = try app(world)
        try await app.signIn("x")
        let user = try await app.signIn("y", tenantID: "t")
        app.auth.tenantID = "t"
        _ = app.announcements()
        let before = try world.contents()
        await expectFailure(.userNotFound) {
            try await app.auth.switchCurrentUser(toUID: "w")
        }
        await expectFailure(.tenantIDMismatch) {
            try await app.auth.switchCurrentUser(toUID: "x")
        }
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("signOut removes the current account and leaves no user current")
    func signOut() async throws {
        let world = try AppFixture()
        let app = try app(world)
        try await app.signIn("x")
        try await app.signIn("y")
        _ = app.announcements()
        try app.auth.signOut()
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements() == .both(nil))
        #expect(try uids(app) == ["x"])
        #expect(try app.stored(Self.group) == nil)
        let again = try TestApp(world)
        #expect(again.auth.currentUser == nil)
        guard case .signedOut = again.auth.state else { Issue.record("\(again.auth.state)"); return }
        // The other user can still be chosen.
        try await app.auth.switchCurrentUser(toUID: "x")
        #expect(app.announcements() == .both("x"))
    }

    @Test("signOut(uid:) removes one user, current or not; an unknown uid has no effect")
    func signOutOne() async throws {
        let world = try AppFixture()
        let app = try app(world)
        for uid in ["x", "y", "z"] { try await app.signIn(uid) }
        let user = app.auth.currentUser
        _ = app.announcements()
        try await app.auth.signOut(uid: "x")
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try uids(app) == ["z", "y"])
        let before = try world.contents()
        try await app.auth.signOut(uid: "w")
        #expect(try world.contents() == before)
        try await app.auth.signOut(uid: "z")
        #expect(app.announcements() == .both(nil))
        #expect(try uids(app) == ["y"])
    }

    @Test("Saving an anonymous user again replaces no other user")
    func anonymousAgain() async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try await TestApp.signedIn("x", world, interceptor: fault.interceptor) { $0.keepsOtherUsers = true }
        let elsewhere = try TestApp(world, appID: "com.example.Calendar")
        let anonymous = try await elsewhere.signIn("a", anonymous: true)
        fault.fail("CreateItem")
        await expectFailure(.keychainError) {
            try await app.auth.updateCurrentUser(anonymous)
        }
        #expect(try await app.auth.signInAnonymously().user === anonymous)
        #expect(try await app.auth.storedUsers(inAccessGroup: nil).map(\.uid) == ["a", "x"])
    }

    @Test("signOutAll signs out all users in one change, and peers are notified")
    func signOutAll() async throws {
        let world = try AppFixture()
        let app = try app(world)
        for uid in ["x", "y"] { try await app.signIn(uid) }
        let peer = try world.peer(Self.group, observesOtherProcesses: true)
        _ = app.announcements()
        try await app.auth.signOutAll()
        #expect(app.announcements() == .both(nil))
        #expect(peer.heard(2) == .both(nil))
        #expect(try world.items().isEmpty)
    }

    @Test("A call that fails changes nothing", arguments: ["switch", "signOut", "signOutOne", "signOutAll"])
    func failing(act: String) async throws {
        let world = try AppFixture()
        let fault = Fault()
        let app = try TestApp(world, interceptor: fault.interceptor) { $0.keepsOtherUsers = true }
        try app.auth.useUserAccessGroup(Self.group)
        try await app.signIn("x")
        let user = try await app.signIn("y")
        _ = app.announcements()
        let before = try world.contents()
        fault.fail(act == "signOutAll" ? "Delete" : "CreateItem")
        await expectFailure(.keychainError) {
            switch act {
            case "switch": try await app.auth.switchCurrentUser(toUID: "x")
            case "signOut": try app.auth.signOut()
            case "signOutOne": try await app.auth.signOut(uid: "x")
            default: try await app.auth.signOutAll()
            }
        }
        #expect(fault.remaining == 0)
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("A user that is not current refreshes and reloads in place, unannounced")
    func notCurrent() async throws {
        let app = try app(AppFixture())
        try await app.signIn("x")
        let current = try await app.signIn("y")
        let other = try #require(try await app.auth.storedUsers(inAccessGroup: Self.group).last)
        _ = app.announcements()
        _ = try await other.getIDToken(forcingRefresh: true)
        app.identity.setProfile(UserProfile(uid: "x", displayName: "X"))
        try await other.reload()
        #expect(app.auth.currentUser === current)
        #expect(app.announcements().isEmpty)
        let stored = try await app.auth.storedUsers(inAccessGroup: Self.group)
        #expect(stored.map(\.refreshToken) == ["y/refresh/1", "x/refresh/refreshed-1"])
        #expect(stored.last?.displayName == "X")
    }

    @Test("Joining a group removes only the current user from the app's own slot")
    func joining() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", world) { $0.keepsOtherUsers = true }
        try await app.signIn("y")
        try app.auth.useUserAccessGroup(Self.group)
        #expect(try await app.auth.storedUsers(inAccessGroup: nil).map(\.uid) == ["x"])
        #expect(try app.stored(nil) == nil)
    }
}
