import SecretService
import TestSupport
import Testing

/// What was found unlocked, and is no longer when it is read.
struct LockedMeanwhileTests {
    @Test func `An item of a daemon that restarted locked is locked, not missing`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        try service.store("x", as: "one")
        let found = try service.items(matching: ["test": "one"]).unlocked
        let item = try #require(found.first)
        try keyring.killProvider()
        try keyring.startProvider(unlocked: false)
        let gone = service.item(at: "\(item.collection.path)/4711")
        let reading = try service.readSecrets(of: [item, gone], by: .after(.seconds(10)))
        #expect(reading.secrets.isEmpty)
        #expect(reading.locked == [item])
        #expect(reading.missing == [gone])
        #expect(try code { _ = try item.secret() } == .locked)
        #expect(try code { _ = try gone.secret() } == .noSuchItem)
    }

    @Test func `A first call to a daemon that restarted locked says so`() throws {
        let keyring = try PrivateKeyring()
        let path = try keyring.makeService().store("x", as: "one").path
        try keyring.killProvider()
        try keyring.startProvider(unlocked: false)
        for _ in 1...5 {
            #expect(try code { _ = try keyring.makeService().item(at: path).secret() } == .locked)
        }
    }

    @Test func `What GetSecrets leaves out is read by itself, or named`() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let service = daemon.makeService()
        let item = try service.store("x", as: "one")
        let gone = service.item(at: "\(item.path)0")
        #expect(try service.readSecrets(of: [item, gone], by: .after(.seconds(10))).secrets == [item: Secret("x")])
        try daemon.tell("omitting")
        let reading = try service.readSecrets(of: [item, gone], by: .after(.seconds(10)))
        #expect(reading.secrets == [item: Secret("x")])
        #expect(reading.missing == [gone])
        #expect(try service.secrets(of: [item]).isEmpty)
        try daemon.tell("lock")
        #expect(try service.readSecrets(of: [item], by: .after(.seconds(10))).locked == [item])
        #expect(try service.readSecrets(of: [], by: .after(.seconds(10))).secrets.isEmpty)
    }
}
