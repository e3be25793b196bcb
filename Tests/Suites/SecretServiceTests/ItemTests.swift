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

    @Test("A stored item is found and read")
    func storedFoundRead() throws {
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

    @Test("A secret is read back byte for byte", arguments: [0, 1, 4096, 1_000_000])
    func bytesComeBack(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 131) }
        let item = try service.defaultCollection().createItem(
            label: "bytes",
            attributes: ["test": "bytes"],
            secret: Secret(bytes, contentType: "application/octet-stream")
        )
        #expect(try item.secret().bytes == bytes)
    }

    @Test("Storing with replacement keeps one item, without it creates a second")
    func replacingKeepsItem() throws {
        let first = try service.store("old", as: "one")
        let second = try service.store("new", as: "one")
        #expect(first == second)
        #expect(try first.secret() == Secret("new"))
        let third = try service.store("another", as: "one", replacing: false)
        #expect(third != first)
        #expect(Set(try service.items(matching: ["test": "one"]).unlocked) == [first, third])
    }

    @Test("A secret can be set in place")
    func setInPlace() throws {
        let item = try service.store("old", as: "one")
        try item.setSecret(Secret("new"))
        #expect(try item.secret() == Secret("new"))
    }

    @Test("Every call on a deleted item throws `noSuchItem`")
    func deletedItem() throws {
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
            let error = try #require(throws: SecretServiceError.self) { try attempt(item) }
            #expect(error.code == .noSuchItem)
            #expect(error.outcomeIsUnknown == false)
            #expect(error.message.contains(item.path))
        }
    }

    @Test("Several secrets are read in one call, and missing ones are left out")
    func severalSecrets() throws {
        let items = try (1...5).map { number in try service.store("secret \(number)", as: "number \(number)") }
        try items[2].delete()
        let secrets = try service.secrets(of: items)
        #expect(secrets.count == 4)
        #expect(secrets[items[4]] == Secret("secret 5"))
        #expect(secrets[items[2]] == nil)
        #expect(try service.secrets(of: []) == [:])
    }

    @Test("An item created from a path equals the stored item")
    func handleFromPath() throws {
        let item = try service.store("x", as: "one")
        #expect(service.item(at: item.path) == item)
        #expect(try service.item(at: item.path).secret() == Secret("x"))
    }
}

struct SecretTests {
    let secret = Secret("hunter2", contentType: "text/x-test")

    @Test("Descriptions, dumps and mirrors of a secret do not show it")
    func secretIsNotShown() {
        var dumped = ""
        dump(secret, to: &dumped)
        dump([secret], to: &dumped)
        let shown = [
            "\(secret)", String(describing: secret), String(reflecting: secret), String(reflecting: [secret]),
            "\(Optional(secret) as Any)", "\(Mirror(reflecting: secret).children.map { "\($0)" })", dumped,
        ]
        for text in shown {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"))
        }
    }

    @Test("A secret returns its bytes, count and content type")
    func secretGivesBytes() {
        #expect(secret.bytes == Array("hunter2".utf8))
        #expect(secret.count == 7)
        #expect(secret.contentType == "text/x-test")
        let lent = unsafe secret.withUnsafeBytes { buffer in buffer.count }
        #expect(lent == 7)
        #expect(Secret([UInt8]()).bytes.isEmpty)
        #expect(Secret([0, 1, 255]).bytes == [0, 1, 255])
        #expect(Secret(sequence(first: 1 as UInt8) { $0 < 3 ? $0 + 1 : nil }).bytes == [1, 2, 3])
    }

    @Test("Secrets are equal by their bytes")
    func secretEquality() {
        #expect(secret == Secret("hunter2"))
        #expect(secret != Secret("hunter3"))
        #expect(secret != Secret("hunter"))
        #expect(Secret("") == Secret([UInt8]()))
    }
}

struct InteroperabilityTests {
    let keyring: PrivateKeyring
    let service: SecretService

    init() throws {
        keyring = try PrivateKeyring()
        service = keyring.makeService()
    }

    @Test("secret-tool reads what we write")
    func secretToolReads() throws {
        try service.store("from Swift", as: "ours")
        let result = try keyring.run("secret-tool", ["lookup", "test", "ours"])
        #expect(result.status == 0)
        #expect(result.standardOutput == "from Swift")
        let search = try keyring.run("secret-tool", ["search", "test", "ours"])
        #expect(search.standardOutput.contains("label = A test's item"))
    }

    @Test("We read what secret-tool writes, and replace it")
    func readsSecretToolsItems() throws {
        let stored = try keyring.run("secret-tool", ["store", "--label=Theirs", "test", "theirs"], input: "from C")
        #expect(stored.status == 0)
        let found = try service.items(matching: ["test": "theirs"]).unlocked
        let item = try #require(found.first)
        #expect(found.count == 1)
        #expect(try item.secret() == Secret("from C"))
        #expect(try item.label() == "Theirs")
        let replaced = try service.store("from Swift", as: "theirs")
        #expect(replaced == item)
        #expect(try keyring.run("secret-tool", ["lookup", "test", "theirs"]).standardOutput == "from Swift")
    }

    @Test("The service reports the program name and process ID of the daemon")
    func daemonName() throws {
        let daemon = try service.daemon()
        #expect(daemon.uniqueName.hasPrefix(":"))
        #expect(daemon.executableName == "gnome-keyring-daemon")
        #expect(try #require(daemon.processID) > 1)
    }
}
