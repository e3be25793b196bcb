import Foundation
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests ``UserMigration``, which moves users between slots without an `Auth`.
struct UserMigrationTests {
    static let a = "group.example.a"
    static let b = "group.example.b"
    static let mail = "com.example.Mail"
    static let apps = ["com.example.Calendar", "com.example.Mail", "com.example.Notes"]

    @Test("A user is moved from an app's own slot to a group once, and found there", arguments: StoreKind.allCases)
    func ownToGroup(_ store: StoreKind) throws {
        let world = try AppFixture(on: store)
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        let first = try world.migrate(.named([Self.mail]), from: nil, to: Self.a)
        #expect(first.kinds == [Self.mail: .moved])
        #expect(first.first?.uid == "x")
        #expect(try world.uids(nil).isEmpty)
        #expect(try world.uids(Self.a) == ["x"])
        #expect(try world.journal(Self.mail).read() == GroupChoice(slot: .group(Self.a)))
        // Nothing is left to do, for one app or for all.
        #expect(try world.migrate(from: nil, to: Self.a).kinds == [Self.mail: .alreadyThere])
        #expect(try world.migrate(.named([Self.mail]), from: nil, to: Self.a).kinds == [Self.mail: .alreadyThere])
        let app = try TestApp(world, listens: false)
        #expect(app.auth.userAccessGroup == Self.a)
        #expect(app.auth.currentUser?.uid == "x")
    }

    @Test("A plan and a preview change nothing")
    func preview() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.apps[0])
        try world.put(world.account("y"), in: nil, appID: Self.apps[1])
        let before = try world.contents()
        let migration = try world.migration(from: nil, to: Self.a)
        let outcomes = try migration.preview(try migration.plan(for: .all))
        // The second user would conflict with the first.
        #expect(outcomes.kinds == [Self.apps[0]: .moved, Self.apps[1]: .conflict])
        #expect(try world.contents() == before)
    }

    @Test("Moving a user out of a group does not affect an app that uses its own slot", arguments: ["y", "x", nil])
    func residents(_ uid: String?) throws {
        let world = try AppFixture()
        let notes = "com.example.Notes"
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        if let uid { try world.put(world.account(uid), in: nil, appID: notes) }
        // A migration of this app alone finds no user to move, and the group keeps its user.
        let alone = try world.migrate(.named([notes]), from: Self.a, to: nil, ifOccupied: .replace)
        #expect(alone.kinds == [notes: uid == "x" ? .alreadyThere : .nothing])
        #expect(try world.uids(Self.a) == ["x"])
        try world.choose(Self.a, appID: Self.mail)
        for policy in [MigrationPolicy.fail, .replace] {
            let outcomes = try world.migrate(from: Self.a, to: nil, ifOccupied: policy)
            #expect(outcomes.kinds == (policy == .fail ? [Self.mail: .moved] : [:]))
        }
        #expect(try world.uids(nil, appID: notes) == (uid.map { [$0] } ?? []))
        #expect(try world.uids(nil) == ["x"])
        #expect(try world.uids(Self.a).isEmpty)
    }

    @Test("A user returned from a group that another app uses also stays in the group")
    func backFromSharedGroup() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        for app in Self.apps { try world.choose(Self.a, appID: app) }
        let migration = try world.migration(from: Self.a, to: nil)
        let steps = try migration.plan(for: .named([Self.mail]), .init(["x"]))
        #expect(steps.flatMap { migration.perform($0) }.kinds == [Self.mail: .moved])
        #expect(try world.uids(nil) == ["x"])
        #expect(try world.uids(Self.a) == ["x"])
    }

    @Test("A group's second account becomes current in the app's own slot when moved back")
    func backFromSecondPlace() throws {
        let world = try AppFixture()
        try world.put(world.account("y"), in: Self.a, appID: Self.mail)
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        #expect(try world.migrate(from: nil, to: Self.a, ifOccupied: .add).kinds == [Self.mail: .moved])
        let migration = try world.migration(from: Self.a, to: nil)
        let steps = try migration.plan(for: .named([Self.mail]), .init(["x"]))
        #expect(steps.flatMap { migration.perform($0) }.kinds == [Self.mail: .moved])
        let app = try TestApp(world, listens: false)
        #expect(app.auth.currentUser?.uid == "x")
        #expect(try world.uids(Self.a) == ["y"])
    }

    @Test("Merging two groups copies the record once, for all apps that use the source")
    func mergesGroups() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        for app in Self.apps { try world.choose(Self.a, appID: app) }
        try world.choose(Self.b, appID: "com.example.Other")
        let calls = Mutex<[String]>([])
        let counter = CallInterceptor { call, _ in
            calls.withLock { $0.append(call.member) }
            return nil
        }
        let migration = try world.migration(from: Self.a, to: Self.b, interceptor: counter)
        let outcomes = try migration.plan(for: .all).flatMap { migration.perform($0) }
        #expect(outcomes.kinds == Dictionary(uniqueKeysWithValues: Self.apps.map { ($0, .moved) }))
        // The copy, and the copy without the name of the deleted original.
        #expect(calls.withLock { $0 }.count { $0 == "CreateItem" } == 2)
        #expect(calls.withLock { $0 }.count { $0 == "Delete" } == 1)
        #expect(try world.uids(Self.a).isEmpty)
        #expect(try world.uids(Self.b) == ["x"])
        for app in Self.apps {
            #expect(try world.journal(app).read() == GroupChoice(slot: .group(Self.b)))
        }
        // All accounts move, and the current user stays current.
        try world.put(world.account("y"), in: Self.b, appID: Self.mail)
        #expect(try world.migrate(from: Self.b, to: Self.a).kinds.count == 4)
        #expect(try world.uids(Self.a) == ["y", "x"])
    }

    @Test("The original stays until the app with a damaged journal is moved, too")
    func oneStays() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        for app in Self.apps { try world.choose(Self.a, appID: app) }
        let path = try #require(world.journal(Self.apps[2]).path)
        try Data("damage".utf8).write(to: URL(filePath: path))
        let outcomes = try world.migrate(from: Self.a, to: Self.b)
        #expect(outcomes.kinds == [Self.apps[0]: .moved, Self.mail: .moved, Self.apps[2]: .failed])
        #expect(try world.uids(Self.a) == ["x"])
        #expect(try world.journal(Self.mail).read() == GroupChoice(slot: .group(Self.b)))
        try FileManager.default.removeItem(atPath: path)
        try world.choose(Self.a, appID: Self.apps[2])
        #expect(try world.migrate(from: Self.a, to: Self.b).kinds[Self.apps[2]] == .moved)
        #expect(try world.uids(Self.a).isEmpty)
    }

    @Test("A group's user is moved to the own slot of each app that has chosen the group")
    func groupToOwn() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        for app in Self.apps { try world.choose(Self.a, appID: app) }
        #expect(try world.migrate(from: Self.a, to: nil).kinds.values.allSatisfy { $0 == .moved })
        for app in Self.apps {
            #expect(try world.uids(nil, appID: app) == ["x"])
            #expect(try world.journal(app).read() == GroupChoice())
        }
        #expect(try world.uids(Self.a).isEmpty)
    }

    @Test("Moving some apps of a group that others use is a conflict and changes nothing")
    func someOfAGroup() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: Self.a, appID: Self.mail)
        for app in Self.apps { try world.choose(Self.a, appID: app) }
        let before = try world.contents()
        let outcomes = try world.migrate(.named([Self.mail]), from: Self.a, to: Self.b)
        #expect(outcomes.kinds == [Self.mail: .conflict])
        #expect(outcomes.first?.error?.message.contains("com.example.Calendar, com.example.Notes") == true)
        #expect(try world.contents() == before)
    }

    @Test("An app that has chosen a third slot is a conflict and is not changed")
    func elsewhere() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        try world.choose(Self.b, appID: Self.mail)
        let before = try world.contents()
        #expect(try world.migrate(.named([Self.mail]), from: nil, to: Self.a).kinds == [Self.mail: .conflict])
        #expect(try world.contents() == before)
    }

    @Test("If the target has the same user, the newer tokens stay and the source is deleted", arguments: [true, false])
    func sameUser(isTargetNewer: Bool) throws {
        let world = try AppFixture()
        let newer = world.newer(world.account("x", "newer"))
        let older = world.account("x", "older")
        try world.put(isTargetNewer ? older : newer, in: nil, appID: Self.mail)
        try world.put(isTargetNewer ? newer : older, in: Self.a, appID: Self.mail)
        let outcomes = try world.migrate(from: nil, to: Self.a)
        #expect(outcomes.kinds == [Self.mail: .moved])
        #expect(outcomes.first?.wasAtTarget == true)
        #expect(try world.record(Self.a, appID: Self.mail).currentAccount?.tokens.refreshToken == "x/newer")
        #expect(try world.uids(nil).isEmpty)
    }

    @Test("The policy decides what happens to another user at the target", arguments: MigrationPolicy.allCases)
    func occupied(_ policy: MigrationPolicy) throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        try world.put(world.account("y"), in: Self.a, appID: Self.mail)
        let before = try world.contents()
        var saved: [ReplacedSession] = []
        let outcomes = try world.migrate(from: nil, to: Self.a, ifOccupied: policy) { session in
            // The session is still stored.
            #expect((try? world.uids(Self.a)) == ["y"])
            // The journal has the migration before any record is written.
            let account = world.account("x").id
            #expect(
                (try? world.journal(Self.mail).read().steps) == [
                    .migration(of: account, from: .own, to: .group(Self.a))
                ]
            )
            saved.append(session)
        }
        let expected: (UserMigration.Outcome.Kind, [String]) =
            switch policy {
            case .fail: (.conflict, ["y"])
            case .skip: (.skipped, ["y"])
            case .join: (.joined, ["y"])
            case .replace: (.moved, ["x"])
            case .add: (.moved, ["y", "x"])
            }
        #expect(outcomes.map(\.kind) == [expected.0])
        #expect(try world.uids(Self.a) == expected.1)
        #expect(try world.uids(nil) == (expected.0 == .moved ? [] : ["x"]))
        #expect(try world.journal(Self.mail).read().steps.isEmpty)
        let contents = try world.contents()
        if expected.0 != .moved { #expect(contents.items == before.items) }
        if [.fail, .skip].contains(policy) { #expect(contents == before) }
        let choosesGroup = [.replace, .add, .join].contains(policy)
        #expect(try world.journal(Self.mail).read() == GroupChoice(slot: choosesGroup ? .group(Self.a) : .own))
        #expect(saved.map(\.uid) == (policy == .replace ? ["y"] : []))
        #expect(outcomes.first?.replacedUID == saved.first?.uid)
    }

    @Test("A session that cannot be saved is not removed, and the user stays")
    func unsaved() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        try world.put(world.account("y"), in: Self.a, appID: Self.mail)
        let before = try world.contents()
        let outcomes = try world.migrate(from: nil, to: Self.a, ifOccupied: .replace) { _ throws(AuthError) in
            throw AuthError(.storeFull, "There is no room.")
        }
        #expect(outcomes.first?.error?.code == .storeFull)
        #expect(try world.contents() == before)
        #expect(try world.journal(Self.mail).read().steps.isEmpty)
    }

    @Test("A replaced session is restored once, and only when its slot has no other user")
    func restored() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        try world.put(world.account("y"), in: Self.a, appID: Self.mail)
        var saved: [ReplacedSession] = []
        try world.migrate(from: nil, to: Self.a, ifOccupied: .replace) { saved.append($0) }
        let session = try #require(saved.first)
        let store = try world.migration(from: nil, to: Self.a).store
        expectFailure(.accessGroupOccupied) { try session.restore(to: .custom(store)) }
        #expect(try world.uids(Self.a) == ["x"])
        try world.migrate(from: Self.a, to: nil)
        #expect(try session.restore(to: .custom(store)))
        #expect(try !session.restore(to: .custom(store)))
        #expect(try world.record(Self.a, appID: Self.mail).currentAccount?.tokens.refreshToken == "y/1")
    }

    @Test("A damaged record stays in place, and only its app's migration fails")
    func damaged() throws {
        let world = try AppFixture()
        for app in Self.apps { try world.put(world.account("x"), in: nil, appID: app) }
        try world.replace(Array("damage".utf8), in: world.key(nil, appID: Self.mail))
        let outcomes = try world.migrate(from: nil, to: Self.a)
        #expect(outcomes.kinds == [Self.apps[0]: .moved, Self.mail: .failed, Self.apps[2]: .moved])
        #expect(outcomes.first { $0.appID == Self.mail }?.error?.code == .recordDamaged)
        #expect(try world.items(in: world.key(nil, appID: Self.mail)).map(\.secret) == [Array("damage".utf8)])
    }

    @Test("An empty source has nothing to migrate; bad names and equal slots are refused")
    func nothing() throws {
        let world = try AppFixture()
        #expect(try world.migrate(from: nil, to: Self.a).isEmpty)
        #expect(try world.migrate(from: Self.a, to: Self.b).isEmpty)
        #expect(try world.migrate(.named([Self.mail]), from: nil, to: Self.a).kinds == [Self.mail: .nothing])
        expectFailure(.invalidAccessGroup) { try world.migrate(from: Self.a, to: Self.a) }
        expectFailure(.invalidAccessGroup) { try world.migrate(from: nil, to: nil) }
        expectFailure(.invalidAccessGroup) { try world.migrate(from: nil, to: "nodots") }
        expectFailure(.invalidAppIdentifier) { try world.migrate(.named(["../x"]), from: nil, to: Self.a) }
    }

    @Test("A migration records the target's keyring daemon and removes the source's")
    func keepers() throws {
        let world = try AppFixture()
        try world.put(world.account("x"), in: nil, appID: Self.mail)
        world.journal(Self.mail).noteKeeper(.other("former-daemon"), of: .own, by: .after(.seconds(20)))
        try world.migrate(from: nil, to: Self.a)
        #expect(try world.journal(Self.mail).keepers(of: .group(Self.a)) == [.gnomeKeyring])
        #expect(try world.journal(Self.mail).keepers(of: .own).isEmpty)
    }

    @Test("Moving a user takes one CreateItem, one Delete, two reads and two searches")
    func calls() throws {
        let world = try AppFixture()
        let apps = (0..<20).map { "com.example.App\($0)" }
        for app in apps { try world.put(world.account("x", app), in: nil, appID: app) }
        let calls = Mutex<[String]>([])
        let counter = CallInterceptor { call, _ in
            calls.withLock { $0.append(call.member) }
            return nil
        }
        let waits = WaitCounter()
        // One connection for all users, as in a run of the tool.
        let store = try world.migration(from: nil, to: Self.a, interceptor: counter, waits: waits).store
        for (number, app) in apps.enumerated() {
            let migration = try world.migration(from: nil, to: "group.example.g\(number)", store: store)
            let steps = try migration.plan(for: .named([app]))
            calls.withLock { $0 = [] }
            _ = waits.takeAll()
            #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.moved])
            if number == 0 { continue }
            let seen = calls.withLock { $0 }
            #expect(seen.count { $0 == "CreateItem" } == 1)
            #expect(seen.count { $0 == "Delete" } == 1)
            // One is for the target's record, and one, which needs no wait, for the mark of the source's collection.
            #expect(seen.count { $0 == "SearchItems" } == 2)
            // One reads the copy back; the other reads the original under the lock under which it is deleted.
            #expect(seen.count { $0.hasPrefix("GetSecret") } == 2, "\(seen)")
            #expect(waits.takeAll().count <= 5, "\(seen)")
        }
    }
}
