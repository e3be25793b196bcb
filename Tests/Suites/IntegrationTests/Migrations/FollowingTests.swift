import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests running apps whose user is migrated: they switch to the user's new slot.
struct FollowingTests {
    static let a = "group.example.a"
    static let b = "group.example.b"
    static let mail = "com.example.Mail"

    @Test(
        "A running app switches to its user's new slot with no event, and signs out there",
        arguments: [(nil, a), (a, b), (a, nil)] as [(String?, String?)],
        StoreKind.allCases
    )
    func follows(_ route: (from: String?, to: String?), _ store: StoreKind) async throws {
        let world = try AppFixture(on: store)
        try world.put(world.account("x"), in: route.from, appID: Self.mail)
        if route.from != nil { try world.choose(route.from, appID: Self.mail) }
        let app = try await PeerProcess.started(world, appID: Self.mail, observes: true)
        try await app.obey("listen")
        _ = try await app.event("state", "x")
        _ = try await app.event("token", "x")

        #expect(try world.migrate(.named([Self.mail]), from: route.from, to: route.to).map(\.kind) == [.moved])

        // The first event is the change in the new slot.
        let newer = world.newer(world.account("x", "2"))
        _ = try world.put(newer, in: route.to, appID: Self.mail)
        let heard = try await app.inbox.first("an event") { $0.event != nil }
        #expect(heard.event == "token")
        #expect(heard.uid == "x")
        let present = try await app.obey("current")
        #expect(present.group == route.to)
        #expect(present.uid == "x")
        #expect(app.inbox.takeEvents().isEmpty)
        try await app.obey("sign-out")
        #expect(try world.uids(route.to).isEmpty)
    }

    @Test("An app follows its user at the next read, and is signed out if the user is gone")
    func looks() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        let app = try TestApp(world)
        let user = try #require(app.auth.currentUser)
        _ = app.announcements()
        try world.migrate(from: nil, to: Self.a)
        _ = app.auth.engine.rereadSlot()
        #expect(app.auth.currentUser === user)
        #expect(app.auth.userAccessGroup == Self.a)
        #expect(app.announcements().isEmpty)
        try world.migrate(from: Self.a, to: Self.b)
        _ = try world.peer(Self.b).auth.signOut()
        _ = app.auth.engine.rereadSlot()
        #expect(app.auth.currentUser == nil)
        #expect(app.announcements() == .both(nil))
    }

    @Test("A sign-out before the app has read the move removes the user from the new slot")
    func signsOut() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        let app = try TestApp(world)
        #expect(app.auth.currentUser?.uid == "x")
        try world.migrate(from: nil, to: Self.a)
        try app.auth.signOut()
        #expect(try world.uids(Self.a).isEmpty)
        #expect(app.auth.currentUser == nil)
    }

    @Test("If a move makes the user a second account, the app announces the current one")
    func second() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        try world.put(world.account("y"), in: Self.a, appID: Self.mail)
        let app = try TestApp(world)
        #expect(app.auth.currentUser?.uid == "x")
        _ = app.announcements()
        try world.migrate(from: nil, to: Self.a, ifOccupied: .add)
        _ = app.auth.engine.rereadSlot()
        #expect(app.auth.userAccessGroup == Self.a)
        #expect(app.announcements() == .both("y"))
    }

    @Test("An app that has not declared the group never uses it and reports the move")
    func undeclared() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        let app = try TestApp(world) { $0.accessGroups = [Self.b] }
        #expect(app.auth.currentUser?.uid == "x")
        _ = app.announcements()
        try world.migrate(from: nil, to: Self.a)
        _ = app.auth.engine.rereadSlot()
        // The state is unavailable, not signed out, so no listener is called.
        #expect(app.announcements().isEmpty)
        let started = try TestApp(world, listens: false) { $0.accessGroups = [Self.b] }
        for auth in [app.auth, started.auth] {
            #expect(auth.currentUser == nil)
            guard case .unavailable(let error) = auth.state else {
                Issue.record("the state is \(auth.state)")
                continue
            }
            #expect(error.code == .accessGroupNotDeclared)
            #expect(error.message.contains(Self.a))
            #expect(error.message.contains("perhaps by a migration"))
            #expect(error.message.contains("\(world.state)/\(Self.mail)"))
            #expect(error.remedy != nil)
        }
    }
}
