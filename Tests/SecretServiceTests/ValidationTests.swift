import SecretService
import TestSupport
import Testing

struct ValidationTests {
    let keyring: PrivateKeyring
    let service: SecretService

    init() throws {
        keyring = try PrivateKeyring()
        service = keyring.makeService()
    }

    @Test(
        arguments: [
            ("", ["a": "b"], "text/plain"), ("a\0b", ["a": "b"], "text/plain"), ("label", [:], "text/plain"),
            ("label", ["a\0": "b"], "text/plain"), ("label", ["a": "hunter2\0"], "text/plain"),
            ("label", ["a": "b"], "text\0plain"),
        ] as [(String, [String: String], String)]
    )
    func `What the bus would choke on is refused, and the connection lives`(
        label: String,
        attributes: [String: String],
        contentType: String
    ) throws {
        let item = try service.store("x", as: "one")
        let collection = try service.defaultCollection()
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        let error = try failure {
            _ = try collection.createItem(
                label: label,
                attributes: attributes,
                secret: Secret("y"),
                contentType: contentType
            )
        }
        #expect(error.code == .invalidArgument)
        #expect(error.outcomeIsUnknown == false)
        #expect(!error.description.contains("hunter2"))
        #expect(try item.secret() == Secret("x"))
        #expect(!events.events.contains(.busClosed))
        watch.cancel()
    }

    @Test func `Searches and paths are checked too`() throws {
        #expect(try code { _ = try service.items(matching: [:]) } == .invalidArgument)
        #expect(try code { _ = try service.items(matching: ["a": "\0"]) } == .invalidArgument)
        for path in ["", "no path", "/a//b", "/a\0"] {
            let item = service.item(at: path)
            #expect(try code { _ = try item.secret() } == .invalidArgument)
            #expect(try code { try service.unlock([item]) } == .invalidArgument)
            #expect(try code { _ = try service.secrets(of: [item]) } == .invalidArgument)
        }
        #expect(try service.collections().isEmpty == false)
    }

    @Test func `Odd but legal text goes through`() throws {
        let attributes = ["test": "ünï\n\"<&>'\u{1}", "key with spaces": "", "emoji": "👩‍👩‍👧"]
        let item = try service.defaultCollection().createItem(label: "…", attributes: attributes, secret: Secret("x"))
        #expect(try service.items(matching: attributes).unlocked == [item])
        #expect(try item.attributes().filter { $0.key != "xdg:schema" } == attributes)
    }
}
