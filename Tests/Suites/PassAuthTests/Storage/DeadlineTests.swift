import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// All steps of a call keep the deadline that it began with.
struct DeadlineTests {
    let world = PassStoreFixture()
    let requestor = RequestorConfiguration("R1", "M1")

    @Test("A configuration has one deadline for import, check and clearing")
    func configuration() throws {
        for generation in [StorageGeneration.buckets, .singleSlot] {
            try world.store(generation).signIn(world.token("R1", "M1"), for: requestor)
        }
        let store = try world.store(integrity: .all)
        _ = world.keyring.takeDeadlines()
        #expect(try store.configure(requestor).hasImported)
        #expect(world.keyring.takeDeadlines().count == 1)
        try world.put("{}", under: store.records.indexKey)
        #expect(try store.configure(requestor).hasCleared)
        #expect(world.keyring.takeDeadlines().count == 1)
        #expect(try world.store(integrity: .clear).configure(requestor).hasCleared)
        #expect(world.keyring.takeDeadlines().count == 1)
    }

    @Test("A selection has one deadline, whether it is stored or follows from a token", arguments: ["R1", "R2"])
    func selection(of programmer: String) throws {
        let store = try world.store(.singleSlot)
        try store.signIn(world.token("R1", "M1"), for: requestor)
        _ = world.keyring.takeDeadlines()
        #expect(try store.selection(of: programmer).mvpd == "M1")
        #expect(world.keyring.takeDeadlines().count == 1)
    }

    @Test("Handling a damaged user keeps the caller's deadline")
    func users() throws {
        let users = PassUserStore(
            of: requestor,
            appID: "com.example.one",
            in: world.keyring,
            device: DeviceIdentity(.custom, "device"),
            options: .init(now: { [clock = world.clock] in clock.now })
        )
        let key = RecordKey(scope: .app("com.example.one"), project: "p", instance: "default", kind: "user")
        let tokens = users.tokens(in: nil)
        try tokens.signIn(world.token("R1", "M1"), for: requestor)
        guard case .whole(let user) = try users.read(key, by: .patient) else {
            Issue.record("no user")
            return
        }
        for change in [RecordChange.replaceDamaged(user.payload), .removeDamaged] {
            try world.put("{}", under: tokens.records.indexKey)
            let deadline = Deadline.patient
            _ = world.keyring.takeDeadlines()
            try users.update(key, by: deadline) { _ in change }
            #expect(world.keyring.takeDeadlines() == [deadline])
        }
        #expect(try tokens.session(of: requestor) == nil)
    }
}
