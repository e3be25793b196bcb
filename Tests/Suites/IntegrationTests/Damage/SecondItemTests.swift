import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests a second item in the place of a record: planted, an older copy, or undecodable.
struct SecondItemTests {
    static let group = "group.example.second"

    /// The kind of the second item.
    enum Company: String, CaseIterable, CustomTestStringConvertible {
        case newer, older, garbage, empty, newerFormat

        var testDescription: String { rawValue }

        func secret(for key: RecordKey) throws -> [UInt8] {
            switch self {
            case .newer: Damage.sealed(try Damage.whole("planted"), counter: 1 << 60, for: key)
            case .older: Damage.sealed(try Damage.whole("older"), counter: 3, for: key)
            case .garbage: Array("junk".utf8)
            case .empty: []
            case .newerFormat: Array("SharedAuth3.x".utf8)
            }
        }

        var isSetAside: Bool { self == .garbage || self == .newerFormat }
    }

    /// A store on the fixture's keyring, and the calls that it makes.
    private struct Site {
        let world: AppFixture
        let key: RecordKey
        let store: SecretServiceRecordStore
        let calls = Recorder<BusCall>()
        let nextWrite = NextWrite()
        let deadline = Deadline.after(.seconds(20))

        init(_ keyring: PrivateKeyring? = nil) throws {
            world = try AppFixture(keyring)
            key = try world.key(SecondItemTests.group)
            let interceptor = CallInterceptor { [calls, nextWrite] call, proceed in
                calls.record(call)
                return call.member == "CreateItem" ? nextWrite.take()?(proceed) : nil
            }
            store = world.keyring.makeStore(interceptor: interceptor)
        }

        /// Returns the record as another process reads it.
        func read() throws -> StoredRecord { try world.keyring.makeStore().read(key, by: deadline) }

        /// Returns the uid of the record that this process reads.
        func uid() throws -> String? {
            try store.record(key).flatMap { try UserRecord(decoding: $0.payload).current?.uid }
        }

        func write(_ uid: String) throws { try store.change(key, .write(Damage.whole(uid))) }

        func members(of work: () throws -> Void) rethrows -> [String] {
            _ = calls.takeAll()
            try work()
            return calls.takeAll().map(\.member)
        }
    }

    @Test("Reading writes nothing; a repair deletes old copies and sets damage aside, once")
    func repairing() throws {
        let site = try Site()
        let new = Damage.sealed(try Damage.whole("new"), counter: 12, for: site.key)
        let junk = Array("junk".utf8)
        let older = try [2, 3].map { Damage.sealed(try Damage.whole("old"), counter: $0, for: site.key) }
        for secret in [older[0], junk, new, [], older[1]] { try site.world.plant(secret, in: site.key) }
        let before = try site.world.contents()
        for _ in 1...2 { #expect(try site.uid() == "new") }
        #expect(try site.world.contents() == before)

        try site.store.repairDuplicates(of: site.key, by: site.deadline)
        #expect(try site.world.items(in: site.key).map(\.secret) == [new])
        #expect(try site.world.items().filter(\.isSetAside).map(\.secret) == [junk])
        #expect(try site.world.items().count == 2)
        #expect(try site.members { try site.store.repairDuplicates(of: site.key, by: site.deadline) } == [])
        #expect(try site.uid() == "new")
    }

    @Test("If a read found nothing to repair, repairing makes no call")
    func nothing() throws {
        let site = try Site()
        try site.write("x")
        _ = try site.store.record(site.key)
        #expect(try site.members { try site.store.repairDuplicates(of: site.key, by: site.deadline) } == [])
    }

    @Test("A write leaves one item in the place of the record, and sets damage aside")
    func update() throws {
        let site = try Site()
        for company in [Company.older, .garbage] { try site.world.plant(company.secret(for: site.key), in: site.key) }
        try site.world.plant(Damage.sealed(Damage.whole("new"), counter: 9, for: site.key), in: site.key)
        let written = try #require(try site.store.change(site.key, .write(Damage.whole("newest"))))
        #expect(written.revision.counter == 10)
        #expect(try site.world.items(in: site.key).count == 1)
        #expect(try site.world.items().count == 2)
    }

    @Test("A deletion after the location is forgotten leaves no item that signs in again", arguments: Company.allCases)
    func deleting(_ company: Company) throws {
        let site = try Site()
        try site.write("x")
        try site.world.plant(company.secret(for: site.key), in: site.key)
        // Without a watch, the remembered location would hide the second item.
        site.store.forgetLocation(of: site.key)
        try site.store.change(site.key, .delete)
        #expect(try site.world.items(in: site.key) == [])
        guard case .none = try site.read() else { Issue.record("\(try site.read())"); return }
        let aside = try site.world.items().filter(\.isSetAside).map(\.secret)
        #expect(try aside == (company.isSetAside ? [company.secret(for: site.key)] : []))
    }

    @Test("Setting the record aside also leaves no item that signs in again", arguments: Company.allCases)
    func removing(_ company: Company) throws {
        let site = try Site()
        try site.write("x")
        try site.world.plant(company.secret(for: site.key), in: site.key)
        site.store.forgetLocation(of: site.key)
        try site.store.change(site.key, .removeDamaged)
        #expect(try site.world.items(in: site.key) == [])
    }

    @Test("An intact record is used, and an item of a newer format set aside unchanged")
    func besideNewerFormat() throws {
        let site = try Site()
        try site.write("x")
        let newer = try Company.newerFormat.secret(for: site.key)
        try site.world.plant(newer, in: site.key)
        guard case .whole = try site.read() else { Issue.record("\(try site.read())"); return }
        site.store.forgetLocation(of: site.key)
        try site.store.repairDuplicates(of: site.key, by: site.deadline)
        #expect(try site.world.items(in: site.key).count == 2)
        try site.write("y")
        #expect(try site.world.items(in: site.key).count == 1)
        #expect(try site.world.items().filter(\.isSetAside).map(\.secret) == [newer])
        guard case .whole(let record) = try site.read() else { Issue.record("\(try site.read())"); return }
        #expect(try UserRecord(decoding: record.payload).current?.uid == "y")
    }

    @Test("Damage at the remembered path does not hide an intact record elsewhere")
    func damagedWhereItWas() throws {
        let site = try Site()
        try site.write("x")
        #expect(try site.uid() == "x")
        let service = site.world.keyring.makeService()
        let item = try #require(try service.items(matching: site.key.queryAttributes).unlocked.first)
        try item.setSecret(Secret("junk"))
        try site.world.plant(Company.older.secret(for: site.key), in: site.key)
        #expect(try site.uid() == "older")
    }

    /// The operations that remove a user from the app's own slot.
    enum Leaving: CaseIterable {
        case signOut, signOutAll, joining, migrating, deletingApp

        func callAsFunction(_ app: TestApp) async throws {
            switch self {
            case .signOut: try app.auth.signOut()
            case .signOutAll: try await app.auth.signOutAll()
            case .joining: try app.auth.useUserAccessGroup(SecondItemTests.group)
            case .migrating: try await app.auth.migrateCurrentUser(toAccessGroup: SecondItemTests.group)
            case .deletingApp: try await app.app.delete()
            }
        }
    }

    @Test("After a user leaves the app's own slot, a second item does not sign that user in")
    func leaving() async throws {
        for leaving in Leaving.allCases {
            let world = try AppFixture()
            let app = try TestApp(world)
            try await app.signIn("x")
            let key = try world.key(nil)
            try world.plant(Damage.sealed(Damage.whole("older"), counter: 3, for: key), in: key)
            try await leaving(app)
            #expect(try world.items(in: key).isEmpty, "\(leaving)")
        }
    }

    @Test("An item beside the record that cannot be set aside stays; the deletion counts")
    func irremovable() throws {
        let site = try Site()
        try site.write("x")
        try site.world.plant(Company.newerFormat.secret(for: site.key), in: site.key)
        site.store.forgetLocation(of: site.key)
        site.nextWrite.happens { _ in SecretServiceError(code: .protocolViolation, message: "The test lets it fail.") }
        try site.store.change(site.key, .delete)
        #expect(try site.uid() == nil)
        guard case .none = try site.read() else { Issue.record("\(try site.read())"); return }
        let left = try site.world.items(in: site.key).map(\.secret)
        #expect(try left.count == 2 && left.contains(Company.newerFormat.secret(for: site.key)))
        try site.write("y")
        #expect(try site.uid() == "y")
    }

    @Test("Items next to a written record are deleted only after the record is read back")
    func readBack() throws {
        let site = try Site()
        try site.write("x")
        try site.world.plant(Company.newerFormat.secret(for: site.key), in: site.key)
        let service = site.world.keyring.makeService()
        let items = try service.items(matching: site.key.queryAttributes).unlocked
        #expect(items.count == 2)
        site.store.forgetLocation(of: site.key)
        // The copy is set aside first, then the record is written: at that moment another process changes both.
        site.nextWrite.happens { [nextWrite = site.nextWrite] _ in
            nextWrite.happens { proceed in
                _ = proceed()
                for item in items { try? item.setSecret(Secret("junk")) }
                return nil
            }
            return nil
        }
        try site.write("y")
        #expect(try site.world.items(in: site.key).map(\.secret) == Array(repeating: Array("junk".utf8), count: 2))
    }

    @Test(
        "An item created at another path makes a watching store's next update search",
        arguments: [
            Company.newer, .older, .garbage,
        ]
    )
    func heard(_ company: Company) throws {
        // Signals for items of other tests would be mistaken for that of the item planted here.
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let site = try Site(keyring)
        let events = Recorder<RecordEvent>()
        let watch = try site.store.watch(site.key, by: site.deadline) { events.record($0) }
        try site.write("x")
        _ = try site.store.record(site.key)
        // Wait until the write's own signal has arrived and no other is pending.
        #expect(events.take { $0 == .changed } != nil)
        try site.world.plant(company.secret(for: site.key), in: site.key)
        #expect(events.take { $0 == .changed } != nil)
        try site.store.change(site.key, .delete)
        #expect(try site.world.items(in: site.key) == [])
        watch.cancel()
    }

    @Test("With a watch since the last search, forgetting and other items cause no search")
    func covered() throws {
        // Any item that other tests create might be this record and would cause a search.
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let site = try Site(keyring)
        let other = try site.world.key("group.example.other")
        let neighbour = site.world.keyring.makeStore()
        let events = Recorder<RecordEvent>()
        let watch = try site.store.watch(site.key, by: site.deadline) { events.record($0) }
        try site.write("x")
        #expect(events.take { $0 == .changed } != nil)
        // The other record's item is new and might be this record: one search shows that it is not.
        try neighbour.change(other, .write([1]))
        var members: [String] = []
        while !members.contains("SearchItems") {
            _ = try #require(events.take { $0 == .changed })
            members = try site.members { _ = try site.store.record(site.key) }
        }
        try neighbour.change(other, .write([2]))
        #expect(events.take { $0 == .changed } != nil)
        members = try site.members {
            site.store.forgetLocation(of: site.key)
            _ = try site.store.record(site.key)
        }
        #expect(members == ["GetSecret"])
        watch.cancel()
    }

    @Test("Without a watch, forgetting the location costs one search")
    func uncovered() throws {
        let site = try Site()
        try site.write("x")
        #expect(try site.members { _ = try site.store.record(site.key) } == ["GetSecret"])
        let members = try site.members {
            site.store.forgetLocation(of: site.key)
            _ = try site.store.record(site.key)
        }
        #expect(members.contains("SearchItems"))
        #expect(try site.members { _ = try site.store.record(site.key) } == ["GetSecret"])
    }

    @Test("At most eight damaged items are kept aside, the newest; they are listed")
    func eight() throws {
        let site = try Site()
        for number in 0..<10 {
            try site.world.plant(Array("junk \(number)".utf8), in: site.key)
            try site.store.change(site.key, .removeDamaged)
        }
        // Items set aside for another record do not count.
        let other = try site.world.key(nil)
        try site.world.plant(Array("junk".utf8), in: other)
        try site.store.change(other, .removeDamaged)
        let listed = try site.store.setAsideRecords(of: site.key, by: site.deadline)
        #expect(listed.count == 8)
        #expect(listed.allSatisfy { $0.date != nil })
        #expect(try site.store.setAsideRecords(of: other, by: site.deadline).count == 1)
        let left = try Set(site.world.items().filter(\.isSetAside).map { String(decoding: $0.secret, as: UTF8.self) })
        #expect(left == Set((2..<10).map { "junk \($0)" } + ["junk"]))
    }
}

/// Tests empty items, which a keyring leaves if it dies while it creates one.
struct EmptyItemTests {
    @Test(
        "An empty item is damage that every write and deletion replaces without a copy",
        arguments: [
            RecordChange.write([1]), .replaceDamaged([1]), .delete, .removeDamaged,
        ]
    )
    func empty(_ change: RecordChange) throws {
        let world = try AppFixture()
        let key = try world.key("group.example.empty")
        let store = world.keyring.makeStore()
        for _ in 1...2 { try world.plant([], in: key) }
        let stored = try store.read(key, by: .after(.seconds(20)))
        guard case .empty = stored else { Issue.record("\(stored)"); return }
        #expect(try store.change(key, change)?.payload == change.payload)
        #expect(try world.items().count == (change.payload == nil ? 0 : 1))
    }
}

/// Intercepts the next call that creates an item.
private final class NextWrite: Sendable {
    typealias Work = @Sendable (CallInterceptor.Proceed) -> SecretServiceError?

    private struct Happening {
        let work: Work
    }

    private let next = Mutex<Happening?>(nil)

    func happens(_ work: @escaping Work) { next.withLock { $0 = Happening(work: work) } }

    func take() -> Work? { next.withLock { $0.take() }?.work }
}
