import SecretService
import TestSupport
import Testing

struct RestartTests {
    @Test func `A restarted provider is found again without any error`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        let before = try service.provider()
        for round in 1...3 {
            try keyring.killProvider()
            try keyring.startProvider(unlocked: true)
            #expect(try item.secret() == Secret(round == 1 ? "x" : "round \(round - 1)"))
            try service.store("round \(round)", as: "one")
        }
        #expect(try service.provider().uniqueName != before.uniqueName)
    }

    @Test func `The first call after a restart may be a write, or a batch`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        try keyring.killProvider()
        try keyring.startProvider(unlocked: true)
        try service.store("y", as: "one")
        try keyring.killProvider()
        try keyring.startProvider(unlocked: true)
        #expect(try service.secrets(of: [item]) == [item: Secret("y")])
        try keyring.killProvider()
        try keyring.startProvider(unlocked: true)
        try item.setSecret(Secret("z"))
        #expect(try item.secret() == Secret("z"))
    }

    @Test func `A provider that is gone and comes back locked says so`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        try keyring.killProvider()
        #expect(try code { _ = try item.secret() } == .noProvider)
        try keyring.startProvider(unlocked: false)
        #expect(try code { _ = try item.secret() } == .locked)
        #expect(try service.items(matching: ["test": "one"]).locked.count == 1)
    }
}
