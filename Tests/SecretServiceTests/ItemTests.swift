import SecretService
import TestSupport
import Testing

struct ItemTests {
    let keyring: PrivateKeyring
    let service: SecretService

    init() throws {
        keyring = try PrivateKeyring()
        service = keyring.makeService()
    }

    @Test func `What was stored is found and read`() throws {
        let item = try service.store("open sesame", as: "one")
        let found = try service.items(matching: ["test": "one"])
        #expect(found == SearchResult(unlocked: [item], locked: []))
        #expect(try item.secret() == Secret("open sesame"))
        #expect(try item.secret().contentType == "text/plain")
        #expect(try item.label() == "A test's item")
        #expect(try item.attributes()["test"] == "one")
        #expect(try item.isLocked() == false)
        #expect(try item.modified() > 1_700_000_000)
    }

    @Test(arguments: [0, 1, 4096, 1_000_000])
    func `A secret comes back byte for byte`(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 131) }
        let item = try service.defaultCollection().createItem(
            label: "bytes",
            attributes: ["test": "bytes"],
            secret: Secret(bytes, contentType: "application/octet-stream")
        )
        #expect(try item.secret().bytes == bytes)
    }

    @Test func `Replacing keeps one item, not replacing makes two`() throws {
        let first = try service.store("old", as: "one")
        let second = try service.store("new", as: "one")
        #expect(first == second)
        #expect(try first.secret() == Secret("new"))
        let third = try service.store("another", as: "one", replacing: false)
        #expect(third != first)
        #expect(Set(try service.items(matching: ["test": "one"]).unlocked) == [first, third])
    }

    @Test func `A secret can be set in place`() throws {
        let item = try service.store("old", as: "one")
        try item.setSecret(Secret("new"))
        #expect(try item.secret() == Secret("new"))
    }

    @Test func `A deleted item is gone for every call`() throws {
        let item = try service.store("short-lived", as: "one")
        try item.delete()
        #expect(try service.items(matching: ["test": "one"]) == SearchResult(unlocked: [], locked: []))
        #expect(throws: SecretServiceError.self) { try item.secret() }
        for attempt: (SecretItem) throws -> Void in [
            { item in _ = try item.secret() },
            { item in try item.setSecret(Secret("again")) },
            { item in try item.delete() },
            { item in _ = try item.label() },
            { item in _ = try item.attributes() },
        ] {
            let error = try failure { try attempt(item) }
            #expect(error.code == .noSuchItem)
            #expect(error.outcomeIsUnknown == false)
            #expect(error.message.contains(item.path))
        }
    }

    @Test func `Several secrets come at once, missing ones are left out`() throws {
        let items = try (1...5).map { number in try service.store("secret \(number)", as: "number \(number)") }
        try items[2].delete()
        let secrets = try service.secrets(of: items)
        #expect(secrets.count == 4)
        #expect(secrets[items[4]] == Secret("secret 5"))
        #expect(secrets[items[2]] == nil)
        #expect(try service.secrets(of: []) == [:])
    }

    @Test func `A handle made from a path is the same item`() throws {
        let item = try service.store("x", as: "one")
        #expect(service.item(at: item.path) == item)
        #expect(try service.item(at: item.path).secret() == Secret("x"))
    }
}
