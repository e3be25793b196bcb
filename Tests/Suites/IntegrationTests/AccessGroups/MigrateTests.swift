import FoundationEssentials
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests all outcomes of `migrateCurrentUser`.
struct MigrateTests {
    static let a = "group.example.a"
    static let b = "group.example.b"

    struct Way: Sendable, CustomTestStringConvertible {
        let from: String?
        let to: String?
        var testDescription: String { "\(from ?? "own") to \(to ?? "own")" }
    }

    /// The contents of the target before the migration.
    enum Target: CaseIterable { case empty, sameUser, sameUserNewerTokens, sameUserOlderTokens, otherUser }

    /// The outcome of a policy if the target has another user, z.
    struct Row: Sendable, CustomTestStringConvertible {
        /// The policy, or nil for the default.
        let policy: MigrationPolicy?
        var error: AuthErrorCode?
        /// Indicates whether the app uses the target afterwards.
        let moves: Bool
        /// The current user afterwards, announced unless it is still x.
        let current: String
        /// The users in the source and in the target afterwards, the current one first.
        let source: [String]
        let target: [String]

        var testDescription: String { policy.map { "\($0)" } ?? "default" }
    }

    static let rows: [Row] = [
        Row(policy: nil, error: .accessGroupOccupied, moves: false, current: "x", source: ["x"], target: ["z"]),
        Row(policy: .skip, moves: false, current: "x", source: ["x"], target: ["z"]),
        Row(policy: .replace, moves: true, current: "x", source: [], target: ["x"]),
        Row(policy: .join, moves: true, current: "z", source: ["x"], target: ["z"]),
        Row(policy: .add, moves: true, current: "z", source: [], target: ["z", "x"]),
    ]

    static let ways = [Way(from: nil, to: a), Way(from: a, to: b), Way(from: a, to: nil)]
    static let policies = MigrationPolicy.allCases

    @Test(
        "The user moves as the same object, without announcements, and survives a restart",
        arguments: ways,
        policies
    )
    func moves(_ way: Way, _ policy: MigrationPolicy) async throws {
        for target in Target.allCases where target != .otherUser {
            let (world, app, user) = try await start(way)
            try await prepare(target, way, world, user)
            _ = app.announcements()

            try await app.auth.migrateCurrentUser(toAccessGroup: way.to, policy: policy)

            #expect(app.auth.currentUser === user)
            #expect(app.auth.userAccessGroup == way.to)
            // The user has another token only if the target's expires later, and only that is announced.
            #expect(app.announcements() == (target == .sameUserNewerTokens ? .token("x") : []))
            #expect(user.refreshToken == (target == .sameUserNewerTokens ? "x/refresh/newer" : "x/refresh/1"))
            let stored = try app.auth.getStoredUser(forAccessGroup: way.to)
            #expect(stored?.refreshToken == user.refreshToken)
            #expect(try app.stored(way.from) == nil)
            #expect(try world.items().count == 1)
            // Later refreshes are saved at the target.
            _ = try await user.getIDToken(forcingRefresh: true)
            #expect(try app.auth.getStoredUser(forAccessGroup: way.to)?.refreshToken == user.refreshToken)
            try expectRestart(world, way.to, "x")
        }
    }

    @Test("With another user at the target, each policy has the outcome of its row", arguments: rows, ways)
    func occupied(_ row: Row, _ way: Way) async throws {
        let (world, app, user) = try await start(way)
        try await prepare(.otherUser, way, world, user)
        _ = app.announcements()
        let before = try world.contents()
        let group = row.moves ? way.to : way.from

        var error: AuthErrorCode?
        do throws(AuthError) {
            if let policy = row.policy {
                try await app.auth.migrateCurrentUser(toAccessGroup: way.to, policy: policy)
            } else {
                try await app.auth.migrateCurrentUser(toAccessGroup: way.to)
            }
        } catch let thrown {
            error = thrown.code
        }

        #expect(error == row.error)
        #expect(app.auth.currentUser?.uid == row.current)
        if row.current == "x" { #expect(app.auth.currentUser === user) }
        #expect(app.auth.userAccessGroup == group)
        #expect(app.announcements() == (row.current == "x" ? [] : .both(row.current)))
        #expect(try await app.auth.storedUsers(inAccessGroup: way.from).map(\.uid) == row.source)
        #expect(try await app.auth.storedUsers(inAccessGroup: way.to).map(\.uid) == row.target)
        if !row.source.isEmpty { #expect(try world.contents().items == before.items) }
        if !row.moves { #expect(try world.contents() == before) }
        try expectRestart(world, group, row.current)
        // The user is still there.
        if row.target.contains("x") {
            try await app.auth.switchCurrentUser(toUID: "x")
        } else {
            try app.auth.useUserAccessGroup(way.from)
        }
        #expect(app.auth.currentUser?.uid == "x")
    }

    @Test("Migrating to the user's present slot does nothing", arguments: [nil, a])
    func nowhere(group: String?) async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("x", in: group, world)
        let user = try #require(app.auth.currentUser)
        let before = try world.contents()
        try await app.auth.migrateCurrentUser(toAccessGroup: group)
        #expect(app.auth.currentUser === user)
        #expect(app.announcements().isEmpty)
        #expect(try world.contents() == before)
    }

    @Test("Peers of the source are notified of nil, peers of the target of the user")
    func peers() async throws {
        let world = try AppFixture()
        let app = try TestApp(world, observesOtherProcesses: true)
        try app.auth.useUserAccessGroup(Self.a)
        try await app.signIn("x")
        let left = try world.peer(Self.a, observesOtherProcesses: true)
        let joined = try TestApp(world, appID: "com.example.Calendar", observesOtherProcesses: true)
        try joined.auth.useUserAccessGroup(Self.b)
        _ = joined.heard(2)
        try await app.auth.migrateCurrentUser(toAccessGroup: Self.b)
        #expect(left.heard(2) == .both(nil))
        #expect(joined.heard(2) == .both("x"))
    }

    @Test("A user whom a peer has signed out meanwhile is not restored by a migration", arguments: ways)
    func noResurrection(_ way: Way) async throws {
        let (world, app, _) = try await start(way)
        try world.peer(way.from).auth.signOut()
        _ = app.announcements()
        await expectFailure(.nullUser) {
            try await app.auth.migrateCurrentUser(toAccessGroup: way.to)
        }
        #expect(app.auth.currentUser == nil)
        #expect(app.auth.userAccessGroup == way.from)
        #expect(app.announcements() == .both(nil))
        #expect(try world.items().isEmpty)
        try expectRestart(world, way.from, nil)
    }

    @Test("Tokens that a peer refreshed meanwhile move with the user", arguments: ways)
    func refreshedByPeer(_ way: Way) async throws {
        let (world, app, user) = try await start(way)
        let peer = try world.peer(way.from)
        _ = try await peer.auth.currentUser?.getIDToken(forcingRefresh: true)
        _ = app.announcements()
        try await app.auth.migrateCurrentUser(toAccessGroup: way.to)
        #expect(app.auth.currentUser === user)
        #expect(user.refreshToken == "x/refresh/refreshed-1")
        #expect(try app.auth.getStoredUser(forAccessGroup: way.to)?.refreshToken == "x/refresh/refreshed-1")
        #expect(app.announcements() == .token("x"))
    }

    /// The original has newer tokens than the copy, so the copy must be written again.
    @Test("A change at the target after the copy was read is not undone")
    func signedOutAtTarget() async throws {
        let world = try AppFixture()
        var renewed = world.account("x")
        renewed.tokens = .scripted("x", "newer", lasting: 7200)
        try world.put(renewed, in: nil, appID: "com.example.Mail")
        try world.put(world.account("x"), in: Self.a, appID: "com.example.Mail")
        let choice = GroupChoice(slot: .own, pending: .migration(of: "x", to: .group(Self.a)))
        try world.journal("com.example.Mail").change(by: .after(.seconds(20))) { $0 = choice }
        let peer = try world.peer(Self.a)
        // This is the last moment before the copy is written.
        let isOver = Mutex(false)
        let meanwhile = CallInterceptor { call, _ in
            let isFirst = isOver.withLock { isOver in
                defer { if call.member == "RequestName" { isOver = true } }
                return call.member == "RequestName" && !isOver
            }
            if isFirst { try? peer.auth.signOut() }
            return nil
        }
        let app = try TestApp(world, interceptor: meanwhile)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(app.auth.userAccessGroup == nil)
        #expect(isOver.withLock { $0 })
        #expect(try world.record(Self.a, appID: "com.example.Mail").current == nil)
        let later = try TestApp(world)
        #expect(later.auth.currentUser?.uid == "x")
        #expect(try world.journal("com.example.Mail").read() == GroupChoice())
    }

    @Test("With several accounts, only the current one moves")
    func leavesOthers() async throws {
        let world = try AppFixture()
        let app = try await TestApp.signedIn("w", world) { $0.keepsOtherUsers = true }
        let user = try await app.signIn("x")
        try await app.auth.migrateCurrentUser(toAccessGroup: Self.a)
        #expect(app.auth.currentUser === user)
        #expect(try await app.auth.storedUsers(inAccessGroup: nil).map(\.uid) == ["w"])
        #expect(try await app.auth.storedUsers(inAccessGroup: Self.a).map(\.uid) == ["x"])
    }

    /// Returns an app with x signed in at the source.
    private func start(_ way: Way) async throws -> (AppFixture, TestApp, User) {
        let world = try AppFixture()
        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(way.from)
        return (world, app, try await app.signIn("x"))
    }

    private func prepare(_ target: Target, _ way: Way, _ world: AppFixture, _ user: User) async throws {
        let peer = try world.peer(way.to)
        switch target {
        case .empty:
            break
        case .sameUser:
            try await peer.auth.updateCurrentUser(User(user.snapshot, auth: nil, slot: nil))
        case .sameUserNewerTokens, .sameUserOlderTokens:
            let isNewer = target == .sameUserNewerTokens
            let now = Date()
            let name = isNewer ? "newer" : "older"
            let tokens = UserTokens(
                idToken: "x/id/\(name)",
                refreshToken: "x/refresh/\(name)",
                expirationDate: now.addingTimeInterval(isNewer ? 7200 : 1800),
                issueDate: now.addingTimeInterval(isNewer ? 60 : -600)
            )
            peer.identity.expect(IdentityGrant(profile: UserProfile(uid: "x"), tokens: tokens, isNewUser: false))
            _ = try await peer.auth.signIn(withEmail: "person@example.com", password: "password")
        case .otherUser:
            try await peer.signIn("z")
        }
    }

    private func expectRestart(_ world: AppFixture, _ group: String?, _ uid: String?) throws {
        let before = try world.contents()
        let again = try TestApp(world)
        #expect(again.auth.userAccessGroup == group)
        #expect(again.auth.currentUser?.uid == uid)
        #expect(try world.contents() == before)
    }
}
