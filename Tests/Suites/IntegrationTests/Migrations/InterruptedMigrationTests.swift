import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Tests the state after a migration that dies midway, and its completion.
struct InterruptedMigrationTests {
    static let a = "group.example.a"
    static let mail = "com.example.Mail"

    /// The point that the migration had reached.
    enum Point: CaseIterable, Sendable {
        case noted, copied, chosen, deleted
    }

    /// Creates the state of a migration at a point.
    private func world(_ point: Point, _ store: StoreKind = .secretService) throws -> AppFixture {
        let world = try AppFixture(on: store)
        let journal = world.journal(Self.mail)
        let deadline = Deadline.after(.seconds(20))
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        let revision = try #require(try world.revision(nil, appID: Self.mail))
        try journal.noteBegun([.migration(of: "x", to: .group(Self.a))], by: deadline)
        if point == .noted { return world }
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        if point == .copied { return world }
        try journal.change(by: deadline) { choice in
            choice = GroupChoice(slot: .group(Self.a), pending: .deletion(of: .own, revision: revision))
        }
        if point == .chosen { return world }
        _ = try world.migration(from: nil, to: Self.a).slots(of: Self.mail).update(.own, by: deadline) { found in
            .store(found.record.removing(found.record.accounts.map(\.id)))
        }
        return world
    }

    @Test("A new run finishes the migration", arguments: Point.allCases, StoreKind.allCases)
    func newRun(_ point: Point, _ store: StoreKind) throws {
        let world = try world(point, store)
        let outcomes = try world.migrate(.named([Self.mail]), from: nil, to: Self.a)
        #expect(outcomes.map(\.kind) == [point == .deleted ? .alreadyThere : .moved])
        try expectEnd(world)
    }

    @Test("The app's next start finishes the migration, or drops it if there is no copy yet", arguments: Point.allCases)
    func start(_ point: Point) throws {
        let world = try world(point)
        let app = try TestApp(world, listens: false)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(app.auth.userAccessGroup == (point == .noted ? nil : Self.a))
        app.auth.engine.waitUntilIdle()
        #expect(try world.journal(Self.mail).read().steps.isEmpty)
        if point != .noted { try expectEnd(world) }
        #expect(try world.migrate(.named([Self.mail]), from: nil, to: Self.a).count == 1)
        try expectEnd(world)
    }

    private func expectEnd(_ world: AppFixture) throws {
        #expect(try world.uids(nil).isEmpty)
        #expect(try world.uids(Self.a) == ["x"])
        #expect(try world.journal(Self.mail).read() == GroupChoice(slot: .group(Self.a)))
    }

    @Test("Completing a migration does not restore a user signed out at the target")
    func signedOutSince() throws {
        let world = try world(.chosen)
        try world.peer(Self.a).auth.signOut()
        #expect(try world.migrate(.named([Self.mail]), from: nil, to: Self.a).map(\.kind) == [.moved])
        #expect(try world.uids(nil).isEmpty)
        #expect(try world.uids(Self.a).isEmpty)
        #expect(try world.journal(Self.mail).read() == GroupChoice(slot: .group(Self.a)))
    }

    @Test("A copy that cannot be read back is removed, and the next run moves the user")
    func unreadable() throws {
        var failures = 0
        // The second failing read belongs to removing the copy, or to another read that may be repeated.
        for count in 1...3 {
            let world = try AppFixture()
            try world.put(world.account("x"), in: nil, appID: Self.mail)
            let before = try world.contents()
            let left = Mutex<Int?>(nil)
            let interceptor = CallInterceptor { call, _ in
                left.withLock { left in
                    if call.member == "CreateItem" { left = left ?? count }
                    guard call.member == "GetSecret", let rest = left, rest > 0 else { return nil }
                    left = rest - 1
                    return SecretServiceError(code: .denied, message: "The test says no.")
                }
            }
            let migration = try world.migration(from: nil, to: Self.a, interceptor: interceptor)
            let outcomes = try migration.plan(for: .all).flatMap { migration.perform($0) }
            if outcomes.map(\.kind) != [.moved] {
                #expect(outcomes.map(\.kind) == [count == 1 ? .failed : .pending])
                failures += 1
                left.withLock { $0 = 0 }
                if count == 1 {
                    #expect(try world.contents() == before)
                    #expect(try world.journal(Self.mail).read() == GroupChoice())
                }
                #expect(try world.uids(nil) == ["x"])
                #expect(try world.journal(Self.mail).read().slot == .own)
                #expect(try migration.plan(for: .all).flatMap { migration.perform($0) }.map(\.kind) == [.moved])
            }
            try expectEnd(world)
        }
        #expect(failures > 0)
    }

    @Test("A merge that died between two apps keeps the source for the app that needs it")
    func merge() throws {
        let b = "group.example.b"
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        try world.put(world.account("x"), in: b, appID: Self.mail)
        try world.choose(b, appID: Self.mail)
        try world.choose(Self.a, appID: "com.example.Notes")
        // Its start finishes nothing that would affect the other app.
        let app = try TestApp(world, listens: false)
        #expect(app.auth.currentUser?.uid == "x")
        app.auth.engine.waitUntilIdle()
        #expect(try world.uids(Self.a) == ["x"])
        let outcomes = try world.migrate(from: Self.a, to: b)
        #expect(outcomes.map(\.kind) == [.alreadyThere, .moved])
        #expect(try world.uids(Self.a).isEmpty)
        #expect(try world.uids(b) == ["x"])
    }

    @Test("A peer's refresh of the original loses no token, and its sign-out stays")
    func meanwhile() throws {
        for isSignOut in [false, true] {
            let world = try AppFixture()
            try world.put(world.account("x", "1"), in: nil, appID: Self.mail)
            let migration = try world.migration(from: nil, to: Self.a)
            let steps = try migration.plan(for: .all)
            let app = try TestApp(world, listens: false)
            if isSignOut {
                try app.auth.signOut()
            } else {
                let newer = world.newer(world.account("x", "2"))
                try world.put(newer, in: nil, appID: Self.mail)
            }
            let outcomes = steps.flatMap { migration.perform($0) }
            #expect(outcomes.map(\.kind) == [isSignOut ? .conflict : .moved])
            #expect(try world.uids(nil).isEmpty)
            let record = try world.record(Self.a, appID: Self.mail)
            #expect(record.currentAccount?.tokens.refreshToken == (isSignOut ? nil : "x/2"))
            #expect(try world.journal(Self.mail).read().steps.isEmpty)
        }
    }
}
