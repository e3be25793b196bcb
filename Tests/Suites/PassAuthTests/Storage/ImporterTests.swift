import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

struct ImporterTests {
    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1", "M2")

    @Test(
        "An earlier layout's token is imported once and stays in its place",
        arguments: [
            (StorageGeneration.singleSlot, StorageGeneration.buckets), (.perProgrammer, .buckets),
            (.singleSlot, .separateBuckets), (.perProgrammer, .separateBuckets), (.buckets, .separateBuckets),
            (.perProgrammer, .privateBuckets),
        ]
    )
    func once(from old: StorageGeneration, to new: StorageGeneration) throws {
        let token = try world.token("R1", "M1")
        try world.store(old).signIn(token, for: requestor)
        let store = try world.store(new)
        #expect(try store.session(of: requestor) == nil)
        let report = try store.configure(requestor)
        #expect(report.hasImported && report.session?.token == token)
        #expect(try store.selection(of: "R1") == MVPDSelection(mvpd: "M1", canAuthenticate: true))
        #expect(try world.store(old).session(of: requestor)?.token == token)
        _ = world.keyring.takeWrites()
        #expect(try store.configure(requestor).hasImported == false)
        #expect(world.keyring.takeWrites().isEmpty)
    }

    @Test("A token stored in an earlier layout after the first check is not imported")
    func onlyOnce() throws {
        let store = try world.store()
        #expect(try store.configure(requestor).session == nil)
        try world.store(.buckets).signIn(world.token("R1", "M1"), for: requestor)
        #expect(try store.configure(requestor).session == nil)
        // Another app of the group, updated later, checks for itself.
        #expect(try world.store(app: "com.example.two").configure(requestor).hasImported)
    }

    @Test("No import replaces a valid token or brings in what the sanitizer removes")
    func onlyWithoutToken() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1", user: "old"), for: requestor)
        let store = try world.store()
        try store.signIn(world.token("R1", "M2", user: "new"), for: requestor)
        let report = try store.configure(requestor)
        #expect(!report.hasImported && report.session?.token.userID == "new")

        let fresh = PassStoreFixture()
        try fresh.store(device: "a", .buckets).signIn(fresh.token("R1", "M1", device: "a"), for: requestor)
        #expect(try fresh.store(device: "b").configure(requestor).hasImported == false)
        try fresh.store(device: "b", .buckets).signIn(fresh.token("R1", "M1", device: "b", lifetime: 5), for: requestor)
        fresh.clock.advance(by: 5)
        #expect(try fresh.store(app: "com.example.two", device: "b").configure(requestor).hasImported == false)
    }

    @Test("A log-out is not undone by an import of any app of the group")
    func noResurrection() throws {
        try world.store(.buckets).signIn(world.token("R1", "M1"), for: requestor)
        let store = try world.store()
        #expect(try store.configure(requestor).hasImported)
        try store.logOut()
        #expect(try store.configure(requestor).session == nil)
        let second = RequestorConfiguration("R2", "M1")
        #expect(try world.store(app: "com.example.two").configure(second).session == nil)
    }

    @Test("A log-out is not undone by an import after the index was damaged")
    func noResurrectionAfterDamage() throws {
        let second = RequestorConfiguration("R2", "M1")
        try world.store(.buckets).signIn(world.token("R2", "M1"), for: second)
        let store = try world.store()
        try store.logOut()
        try world.put("{}", under: store.records.indexKey)
        try store.signIn(world.token("R1", "M2"), for: requestor)
        let report = try store.configure(second)
        #expect(!report.hasImported && report.session == nil)
    }

    @Test(
        "A cleared or changed choice is not overruled by another app's import",
        arguments: [nil, "M2"]
    )
    func choice(mvpd: String?) throws {
        try world.store(.buckets).signIn(world.token("R1", "M1"), for: requestor)
        let store = try world.store()
        #expect(try store.configure(requestor).hasImported)
        try store.select(mvpd, for: "R1")
        let other = try world.store(app: "com.example.two")
        let report = try other.configure(requestor)
        #expect(!report.hasImported && report.session == nil)
        #expect(try other.selection(of: "R1").mvpd == mvpd)
    }

    @Test("An old token does not replace one that its programmer keeps unshared")
    func kept() throws {
        try world.store(.buckets).signIn(world.token("R1", "M1", user: "old"), for: requestor)
        let store = try world.store()
        let keeping = RequestorConfiguration(
            id: "R1",
            integrations: [MVPDIntegration(mvpd: "M1", allowsSingleSignOn: false)]
        )
        try store.signIn(world.token("R1", "M1", user: "new"), for: keeping)
        let report = try store.configure(RequestorConfiguration("R2", "M1"))
        #expect(!report.hasImported && report.session == nil)
        #expect(try store.session(of: keeping)?.token.userID == "new")
        #expect(try store.session(of: RequestorConfiguration("R3", "M1")) == nil)
    }

    @Test("The chosen MVPD's token is imported from earlier layouts, even if it is older")
    func chosen() throws {
        try world.store(.buckets).signIn(world.token("R1", "M1"), for: requestor)
        try world.store(.singleSlot).signIn(world.token("R1", "M2"), for: requestor)
        let store = try world.store()
        try store.select("M2", for: "R1")
        let report = try store.configure(requestor)
        #expect(report.hasImported && report.session?.token.mvpd == "M2")
    }

    @Test("An import that dies after any write is repeated once")
    func death() throws {
        for writes in 0...3 {
            let world = PassStoreFixture()
            let token = try world.token("R1", "M1")
            try world.store(.buckets).signIn(token, for: requestor)
            let store = try world.store()
            world.keyring.die(after: writes)
            _ = try? store.configure(requestor)
            world.keyring.mend()
            let report = try store.configure(requestor)
            #expect(report.session?.token == token)
            #expect(report.hasImported == (writes < 3))
            _ = world.keyring.takeWrites()
            #expect(try store.configure(requestor).hasImported == false)
            #expect(world.keyring.takeWrites().isEmpty)
        }
    }

    @Test("A locked earlier layout is an error and retried; a damaged one is skipped")
    func unreadable() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1"), for: requestor)
        let store = try world.store()
        world.keyring.fail(as: .locked)
        expectFailure(\PassStoreError.code, .locked) { try store.configure(requestor) }
        world.keyring.mend()
        #expect(try store.configure(requestor).hasImported)

        let damaged = PassStoreFixture()
        try damaged.put("{}", under: damaged.store(.buckets).records.indexKey)
        try damaged.store(.singleSlot).signIn(damaged.token("R1", "M1"), for: requestor)
        #expect(try damaged.store().configure(requestor).hasImported)
    }
}

/// The conditions for an import. By Adobe's documentation it runs whenever the programmer has no valid token.
struct ImportConditionTests {
    let world = PassStoreFixture()
    let first = RequestorConfiguration("R1", "M1")
    let second = RequestorConfiguration("R2", "M2")

    private func app(_ condition: ImportCondition, _ name: String = "one") throws -> PassTokenStore {
        let store = try world.store(app: "com.example.\(name)")
        var options = store.options
        options.importCondition = condition
        return PassTokenStore(
            appID: store.appID,
            group: store.group,
            in: world.keyring,
            device: store.device,
            options: options
        )
    }

    @Test("With `noValidToken`, a log-out does not stop other programmers' imports")
    func logOutByOther() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1"), for: first)
        try old.signIn(world.token("R2", "M2"), for: second)
        let one = try app(.noValidToken)
        #expect(try one.configure(first).hasImported)
        try one.logOut()
        // An imported token that was logged out is not imported again; one that was never imported is imported.
        #expect(try one.configure(first).session == nil)
        #expect(try app(.noValidToken, "two").configure(second).hasImported)
        // By default, the log-out still counts.
        #expect(try app(.once, "three").configure(RequestorConfiguration("R3", "M2")).hasImported == false)
    }

    @Test("With `noValidToken`, a token stored later in the earlier layout is imported once")
    func later() throws {
        let store = try app(.noValidToken)
        #expect(try store.configure(first).session == nil)
        _ = world.keyring.takeWrites()
        #expect(try store.configure(first).session == nil)
        #expect(world.keyring.takeWrites().isEmpty)
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1", user: "later"), for: first)
        #expect(try store.configure(first).session?.token.userID == "later")
        _ = world.keyring.takeWrites()
        #expect(try store.configure(first).hasImported == false)
        #expect(world.keyring.takeWrites().isEmpty)
    }

    @Test("A valid token or a cleared choice prevents any import")
    func condition() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1", user: "old"), for: first)
        let store = try app(.noValidToken)
        try store.signIn(world.token("R1", "M1", user: "new", lifetime: 10), for: first)
        #expect(try store.configure(first).session?.token.userID == "new")
        try store.select(nil, for: "R1")
        #expect(try store.configure(first).session == nil)
        try store.select("M1", for: "R1")
        world.clock.advance(by: 10)
        #expect(try store.configure(first).session?.token.userID == "old")
    }
}
