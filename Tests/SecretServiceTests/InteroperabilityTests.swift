import SecretService
import TestSupport
import Testing

struct InteroperabilityTests {
    let keyring: PrivateKeyring
    let service: SecretService

    init() throws {
        keyring = try PrivateKeyring()
        service = keyring.makeService()
    }

    @Test func `secret-tool reads what we write`() throws {
        try service.store("from Swift", as: "ours")
        let result = try keyring.run("secret-tool", ["lookup", "test", "ours"])
        #expect(result.status == 0)
        #expect(result.standardOutput == "from Swift")
        let search = try keyring.run("secret-tool", ["search", "test", "ours"])
        #expect(search.standardOutput.contains("label = A test's item"))
    }

    @Test func `We read what secret-tool writes, and replace it`() throws {
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

    @Test func `The provider is told by name`() throws {
        let provider = try service.provider()
        #expect(provider.uniqueName.hasPrefix(":"))
        #expect(provider.executableName == "gnome-keyring-daemon")
        #expect(try #require(provider.processID) > 1)
    }
}
