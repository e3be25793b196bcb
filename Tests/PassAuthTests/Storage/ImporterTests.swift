import Foundation
import SharedAuth
import Testing

@testable import PassAuth

struct ImporterTests {
    let world = StoreWorld()
    let requestor = RequestorConfiguration("R1", "M1", "M2")

    @Test(
        "F24: the token of an earlier layout is taken over once, and stays where it was",
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
        #expect(try store.selection(of: "R1") == ProviderSelection(mvpd: "M1", canAuthenticate: true))
        #expect(try world.store(old).session(of: requestor)?.token == token)
        _ = world.keyring.takeWrites()
        #expect(try store.configure(requestor).hasImported == false)
        #expect(world.keyring.takeWrites().isEmpty)
    }

    @Test("F24: what an earlier layout gets only after the first look is not taken over")
    func onlyOnce() throws {
        let store = try world.store()
        #expect(try store.configure(requestor).session == nil)
        try world.store(.buckets).signIn(world.token("R1", "M1"), for: requestor)
        #expect(try store.configure(requestor).session == nil)
        // Another app of the group, updated later, has a look of its own.
        #expect(try world.store(app: "com.example.two").configure(requestor).hasImported)
    }

    @Test("F24: nothing is imported over a token that stands, nor what the sanitizer would not leave")
    func onlyWithoutToken() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1", user: "old"), for: requestor)
        let store = try world.store()
        try store.signIn(world.token("R1", "M2", user: "new"), for: requestor)
        let report = try store.configure(requestor)
        #expect(!report.hasImported && report.session?.token.userID == "new")

        let fresh = StoreWorld()
        try fresh.store(device: "a", .buckets).signIn(fresh.token("R1", "M1", device: "a"), for: requestor)
        #expect(try fresh.store(device: "b").configure(requestor).hasImported == false)
        try fresh.store(device: "b", .buckets).signIn(fresh.token("R1", "M1", device: "b", lifetime: 5), for: requestor)
        fresh.clock.advance(by: 5)
        #expect(try fresh.store(app: "com.example.two", device: "b").configure(requestor).hasImported == false)
    }

    @Test("F24: a log-out is not undone by an import, for no app of the group")
    func noResurrection() throws {
        try world.store(.buckets).signIn(world.token("R1", "M1"), for: requestor)
        let store = try world.store()
        #expect(try store.configure(requestor).hasImported)
        try store.logOut()
        #expect(try store.configure(requestor).session == nil)
        let second = RequestorConfiguration("R2", "M1")
        #expect(try world.store(app: "com.example.two").configure(second).session == nil)
    }

    @Test("F24: a log-out is not undone by an import either where the index that knew of it was damaged")
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
        "F24: a choice that was taken back or changed is not overruled by another app's import",
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

    @Test("F24: an old token does not take the place of one that its programmer keeps from others")
    func kept() throws {
        try world.store(.buckets).signIn(world.token("R1", "M1", user: "old"), for: requestor)
        let store = try world.store()
        let keeping = RequestorConfiguration(
            id: "R1",
            providers: [ProviderIntegration(mvpd: "M1", allowsSingleSignOn: false)]
        )
        try store.signIn(world.token("R1", "M1", user: "new"), for: keeping)
        let report = try store.configure(RequestorConfiguration("R2", "M1"))
        #expect(!report.hasImported && report.session == nil)
        #expect(try store.session(of: keeping)?.token.userID == "new")
        #expect(try store.session(of: RequestorConfiguration("R3", "M1")) == nil)
    }

    @Test("F24: of the earlier layouts' tokens that of the chosen provider is taken over, be it the older one")
    func chosen() throws {
        try world.store(.buckets).signIn(world.token("R1", "M1"), for: requestor)
        try world.store(.singleSlot).signIn(world.token("R1", "M2"), for: requestor)
        let store = try world.store()
        try store.select("M2", for: "R1")
        let report = try store.configure(requestor)
        #expect(report.hasImported && report.session?.token.mvpd == "M2")
    }

    @Test("F24: an import that dies after any write is made anew, once")
    func death() throws {
        for writes in 0...3 {
            let world = StoreWorld()
            let token = try world.token("R1", "M1")
            try world.store(.buckets).signIn(token, for: requestor)
            let store = try world.store()
            world.keyring.die(after: writes)
            _ = try? store.configure(requestor)
            world.keyring.die(after: nil)
            let report = try store.configure(requestor)
            #expect(report.session?.token == token)
            #expect(report.hasImported == (writes < 3))
            _ = world.keyring.takeWrites()
            #expect(try store.configure(requestor).hasImported == false)
            #expect(world.keyring.takeWrites().isEmpty)
        }
    }

    @Test("F24: an earlier layout that is locked is an error and tried again; a damaged one is passed over")
    func unreadable() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1"), for: requestor)
        let store = try world.store()
        world.keyring.fail(as: .locked)
        expectFailure(.locked) { try store.configure(requestor) }
        world.keyring.fail(as: nil)
        #expect(try store.configure(requestor).hasImported)

        let damaged = StoreWorld()
        try damaged.put("{}", under: damaged.store(.buckets).records.indexKey)
        try damaged.store(.singleSlot).signIn(damaged.token("R1", "M1"), for: requestor)
        #expect(try damaged.store().configure(requestor).hasImported)
    }
}
