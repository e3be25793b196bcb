import Foundation
import SharedAuth
import Testing

@testable import PassAuth

/// When the importer runs: Adobe's text has it whenever there is no valid token of the programmer.
struct ImportConditionTests {
    let world = StoreWorld()
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

    @Test("F24: one programmer's log-out does not end the imports of the others, where the app chooses so")
    func logOutByOther() throws {
        let old = try world.store(.buckets)
        try old.signIn(world.token("R1", "M1"), for: first)
        try old.signIn(world.token("R2", "M2"), for: second)
        let one = try app(.noValidToken)
        #expect(try one.configure(first).hasImported)
        try one.logOut()
        // What was imported and logged out of is not brought back; what never was is taken over.
        #expect(try one.configure(first).session == nil)
        #expect(try app(.noValidToken, "two").configure(second).hasImported)
        // The default holds on to the log-out.
        #expect(try app(.once, "three").configure(RequestorConfiguration("R3", "M2")).hasImported == false)
    }

    @Test("F24: a token that an app of the earlier layout gets later is taken over too, once")
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

    @Test("F24: a valid token, and a choice that was taken back, stand before any import")
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
