import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// More than one item in the place of one record, and items that only look like it.
struct DuplicateItemTests {
    static let group = "group.example.duplicates"

    @Test("Of several items the newest whole record counts; the rest is set aside as it was")
    func heals() async throws {
        let world = try TestApp.World()
        let key = try world.key(Self.group)
        let old = Damage.sealed(try Damage.whole("old"), counter: 3, for: key)
        let new = Damage.sealed(try Damage.whole("new"), counter: 12, for: key)
        let older = Damage.sealed(try Damage.whole("older"), counter: 2, for: key)
        let junk = Array("junk".utf8)
        for secret in [old, junk, new, older] { try world.plant(secret, in: key) }

        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.auth.currentUser?.uid == "new")
        #expect(try world.items(in: key).map(\.secret) == [new])
        #expect(try Set(world.items().filter(\.isSetAside).map(\.secret)) == [old, older, junk])
        #expect(try world.items().count == 4)
        #expect(try TestApp(world).auth.currentUser?.uid == "new")
    }

    @Test("Two records of one counter heal to the same in every process")
    func sameCounter() async throws {
        let world = try TestApp.World()
        let key = try world.key(nil)
        let records = try [(1, "one"), (2, "two")].map { nonce, uid in
            Array(
                Envelope.seal(
                    Record(payload: try Damage.whole(uid), revision: Revision(counter: 5, nonce: nonce)),
                    for: key
                ).utf8
            )
        }
        for secret in records.reversed() { try world.plant(secret, in: key) }
        #expect(try TestApp(world).auth.currentUser?.uid == "two")
        #expect(try world.items(in: key).map(\.secret) == [records[1]])
        #expect(try world.items().filter(\.isSetAside).map(\.secret) == [records[0]])
    }

    @Test("Several items without a whole record are damage, and a sign-in sets all of them aside")
    func allDamaged() async throws {
        let world = try TestApp.World()
        let key = try world.key(nil)
        let pieces: [[UInt8]] = [[0xFF], [], Array("text".utf8)]
        for secret in pieces { try world.plant(secret, in: key) }
        let app = try TestApp(world)
        guard case .damaged = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        #expect(try world.items(in: key).count == 3)
        try await app.signIn("x")
        #expect(try world.items(in: key).count == 1)
        #expect(try Set(world.items().filter(\.isSetAside).map(\.secret)) == Set(pieces))
        #expect(try TestApp(world).auth.currentUser?.uid == "x")
    }

    @Test("Beside what a newer version wrote nothing is mended, set aside or overwritten")
    func besideNewer() async throws {
        let world = try TestApp.World()
        let key = try world.key(nil)
        try world.plant(Damage.sealed(try Damage.whole(), for: key), in: key)
        try world.plant(Array("SharedAuth3.x".utf8), in: key)
        let before = try world.contents()
        let app = try TestApp(world)
        guard case .damaged(let error) = await app.auth.ready() else { Issue.record("\(app.auth.state)"); return }
        #expect(error.code == .recordVersionUnsupported)
        app.identity.expect(.scripted("y"))
        await expectFailure(.recordVersionUnsupported) {
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(try world.contents() == before)
    }

    /// Puts two records in the place of one, and says which is the older.
    private func plantTwo(in key: RecordKey, _ world: TestApp.World) throws -> (old: [UInt8], new: [UInt8]) {
        let (old, new) = (
            Damage.sealed(try Damage.whole("old"), counter: 1, for: key),
            Damage.sealed(try Damage.whole("new"), counter: 2, for: key)
        )
        for secret in [new, old] { try world.plant(secret, in: key) }
        return (old, new)
    }

    @Test("If setting aside fails, the newest record counts all the same, and the next read mends")
    func cannotSetAside() async throws {
        let world = try TestApp.World()
        let key = try world.key(nil)
        let (old, new) = try plantTwo(in: key, world)
        let fault = Fault()
        fault.fail("CreateItem")
        let app = try TestApp(world, interceptor: fault.interceptor)
        #expect(app.auth.currentUser?.uid == "new")
        #expect(fault.remaining == 0)
        #expect(try Set(world.items(in: key).map(\.secret)) == [old, new])
        #expect(try TestApp(world).auth.currentUser?.uid == "new")
        #expect(try world.items(in: key).map(\.secret) == [new])
    }

    @Test(
        "If the original cannot be deleted, no read of this process tries again, and no copy stays that is known too many",
        arguments: [true, false]
    )
    func cannotDelete(isKnown: Bool) async throws {
        let world = try TestApp.World()
        let key = try world.key(nil)
        let (old, new) = try plantTwo(in: key, world)
        let before = try world.items()
        let undeletable = try Undeletable(key, in: world, isKnown: isKnown)
        let app = try TestApp(world, hearsPeers: true, interceptor: undeletable.interceptor)
        #expect(app.auth.currentUser?.uid == "new")
        for _ in 1...3 { #expect(try app.stored(nil) == "new") }
        #expect(try Set(world.items().filter { !$0.isSetAside }) == Set(before))
        #expect(try world.items().filter(\.isSetAside).count == (isKnown ? 0 : 1))
        #expect(undeletable.copies == 1)

        // The copy and its going are heard, and so is this: another item, for whose sake it is tried again.
        try world.plant(Damage.sealed(try Damage.whole("newest"), counter: 3, for: key), in: key)
        #expect(app.heard { $0.contains(.init(kind: "token", uid: "newest")) } == .both("new", "newest"))
        #expect(try world.items().filter(\.isSetAside).count == (isKnown ? 0 : 2))
        #expect(undeletable.copies == 2)

        // Where it can be deleted, it is mended.
        #expect(try TestApp(world).auth.currentUser?.uid == "newest")
        #expect(try world.items(in: key).count == 1)
        #expect(try Set(world.items().filter(\.isSetAside).map(\.secret)) == [old, new])
    }

    @Test("A copy that cannot be read back does not stay, and nothing is deleted for its sake")
    func unreadableCopy() async throws {
        let world = try TestApp.World()
        let key = try world.key(nil)
        for (counter, uid) in [(1, "old"), (2, "new")] {
            try world.plant(Damage.sealed(try Damage.whole(uid), counter: UInt64(counter), for: key), in: key)
        }
        let before = try world.items()
        let fault = Fault()
        fault.fail("GetSecret")
        let app = try TestApp(world, interceptor: fault.interceptor)
        #expect(app.auth.currentUser?.uid == "new")
        #expect(fault.remaining == 0)
        #expect(try Set(world.items()) == Set(before))
    }

    @Test("If it is not known whether the original was deleted, its copy stays")
    func unansweredDelete() async throws {
        let world = try TestApp.World()
        let key = try world.key(nil)
        let (old, new) = try plantTwo(in: key, world)
        let unanswered = CallInterceptor { call, proceed in
            guard call.member == "Delete" else { return nil }
            _ = proceed()
            return SecretServiceError(code: .timedOut, message: "The test drops it.", outcomeIsUnknown: true)
        }
        let app = try TestApp(world, interceptor: unanswered)
        #expect(app.auth.currentUser?.uid == "new")
        #expect(try world.items(in: key).map(\.secret) == [new])
        #expect(try world.items().filter(\.isSetAside).map(\.secret) == [old])
    }

    @Test("An item with more attributes than ours is somebody else's, whatever it holds")
    func superset() async throws {
        let world = try TestApp.World()
        let key = try world.key(Self.group)
        let planted = Damage.sealed(try Damage.whole("mallory"), counter: 99, for: key)
        try world.plant(planted, in: key, adding: ["more": "1"])
        let before = try world.contents()

        let app = try TestApp(world)
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.auth.currentUser == nil)
        #expect(try app.stored(Self.group) == nil)
        guard case .signedOut = app.auth.state else { Issue.record("\(app.auth.state)"); return }
        #expect(try world.contents().items == before.items)
    }

    @Test(
        "An item with more attributes beside ours changes nothing of what is signed in, read, refreshed or signed out"
    )
    func supersetBeside() async throws {
        let world = try TestApp.World()
        let key = try world.key(Self.group)
        let app = try await TestApp.signedIn("x", in: Self.group, world)
        let user = try #require(app.auth.currentUser)
        let planted = Damage.sealed(try Damage.whole("mallory"), counter: 99, for: key)
        for number in 1...8 { try world.plant(planted, in: key, adding: ["more": "\(number)"]) }

        let again = try TestApp(world)
        #expect(again.auth.currentUser?.uid == "x")
        _ = try await user.getIDToken(forcingRefresh: true)
        // Whichever item the provider replaced, no older copy is left for peers to go on reading.
        #expect(try world.items(in: key).filter { $0.attributes["more"] == nil }.count == 1)
        #expect(try again.auth.getStoredUser(forAccessGroup: Self.group)?.refreshToken == "x/refresh/refreshed-1")
        let third = try TestApp(world)
        #expect(third.auth.currentUser?.refreshToken == "x/refresh/refreshed-1")
        try await third.signIn("y")
        #expect(try TestApp(world).auth.currentUser?.uid == "y")
        try third.auth.signOut()
        #expect(try app.stored(Self.group) == nil)
        #expect(try TestApp(world).auth.currentUser == nil)
    }
}

/// Items that cannot be deleted, as where the person would have to confirm it and is not there.
private struct Undeletable {
    private let calls = Recorder<BusCall>()
    private let paths: Set<String>
    private let isKnown: Bool

    /// Those that are in the place of a record now; whoever tries to delete one may know that it was not.
    init(_ key: RecordKey, in world: TestApp.World, isKnown: Bool) throws {
        self.isKnown = isKnown
        let service = SecretService(.init(busAddress: .address(world.keyring.busAddress)))
        paths = Set(try service.items(matching: key.queryAttributes).unlocked.map(\.path))
    }

    /// How many items were made.
    var copies: Int { calls.events.count { $0.member == "CreateItem" } }

    var interceptor: CallInterceptor {
        CallInterceptor { [calls, paths, isKnown] call, _ in
            calls.record(call)
            guard call.member == "Delete", paths.contains(call.path) else { return nil }
            return isKnown
                ? SecretServiceError(code: .dismissed, message: "The test declines.")
                : SecretServiceError(code: .timedOut, message: "The test says nothing.", outcomeIsUnknown: true)
        }
    }
}
