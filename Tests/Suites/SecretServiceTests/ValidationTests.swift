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
        "Text that the bus would reject is refused, and the connection stays open",
        arguments: [
            ("", ["a": "b"], "text/plain"), ("a\0b", ["a": "b"], "text/plain"), ("label", [:], "text/plain"),
            ("label", ["a\0": "b"], "text/plain"), ("label", ["a": "hunter2\0"], "text/plain"),
            ("label", ["a": "b"], "text\0plain"),
        ] as [(String, [String: String], String)]
    )
    func textsThatABusRefuses(
        label: String,
        attributes: [String: String],
        contentType: String
    ) throws {
        let item = try service.store("x", as: "one")
        let collection = try service.defaultCollection()
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        let error = try #require(throws: SecretServiceError.self) {
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

    @Test("Search attributes and paths are validated too")
    func searchesAndPaths() throws {
        expectFailure(\SecretServiceError.code, .invalidArgument) { try service.items(matching: [:]) }
        expectFailure(\SecretServiceError.code, .invalidArgument) { try service.items(matching: ["a": "\0"]) }
        for path in ["", "no path", "/a//b", "/a\0"] {
            let item = service.item(at: path)
            expectFailure(\SecretServiceError.code, .invalidArgument) { try item.secret() }
            expectFailure(\SecretServiceError.code, .invalidArgument) { try service.unlock([item]) }
            expectFailure(\SecretServiceError.code, .invalidArgument) { try service.secrets(of: [item]) }
        }
        #expect(try service.collections().isEmpty == false)
    }

    @Test("Unusual but valid text is stored and found")
    func oddButLegalText() throws {
        let attributes = ["test": "ünï\n\"<&>'\u{1}", "key with spaces": "", "emoji": "👩‍👩‍👧"]
        let item = try service.defaultCollection().createItem(label: "…", attributes: attributes, secret: Secret("x"))
        #expect(try service.items(matching: attributes).unlocked == [item])
        #expect(try item.attributes().filter { $0.key != "xdg:schema" } == attributes)
    }
}

struct SizeAndShapeTests {
    @Test("A value that is too large is refused, even after the deadline; nothing is sent")
    func tooLarge() throws {
        let keyring = try PrivateKeyring()
        let calls = Recorder<String>()
        let service = keyring.makeService(interceptor: .recording(calls))
        let collection = try service.defaultCollection()
        let large = Secret([UInt8](repeating: 97, count: 16 << 20 | 1))
        let item = service.item(at: "\(collection.path)/1")
        let past = Deadline.after(.zero)
        let sent = calls.events
        for attempt: () throws -> Void in [
            { _ = try collection.createItem(label: "x", attributes: ["a": "b"], secret: large, by: past) },
            { try item.setSecret(large, by: past) },
            { _ = try service.items(matching: ["a": String(repeating: "b", count: 16 << 20)], by: past) },
            {
                let long = String(repeating: "b", count: 16 << 20)
                _ = try collection.createItem(label: "x", attributes: ["a": long], secret: Secret("x"), by: past)
            },
        ] {
            let error = try #require(throws: SecretServiceError.self, performing: attempt)
            #expect(error.code == .invalidArgument)
            #expect(!error.outcomeIsUnknown)
            #expect(error.message.contains("bytes"))
        }
        #expect(calls.events == sent)
        #expect(try service.items(matching: ["a": "b"]).unlocked.isEmpty)
    }

    @Test("A secret just below the size limit is stored and read")
    func justSmallEnough() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService(timeout: .seconds(60))
        let large = Secret([UInt8](repeating: 97, count: 16 << 20 - 1000))
        let item = try service.defaultCollection().createItem(label: "x", attributes: ["a": "b"], secret: large)
        #expect(try item.secret() == large)
    }

    @Test(
        "A malformed reply throws `protocolViolation`, and the call is not repeated",
        arguments: [
            "SearchItems", "GetSecrets", "GetSecret", "OpenSession", "ReadAlias", "CreateItem", "Delete", "Get",
        ]
    )
    func wrongShape(method: String) throws {
        let daemon = try ScriptedDaemon("signals=1")
        let item = try daemon.makeService().store("x", as: "one")
        try daemon.tell("wrong=\(method)")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let same = service.item(at: item.path)
        // `Get` is only sent to a program that has replied before.
        if method == "Get" { _ = try service.defaultCollection() }
        let error = try #require(throws: SecretServiceError.self) {
            switch method {
            case "SearchItems": _ = try service.items(matching: ["test": "one"])
            case "GetSecrets": _ = try service.readSecrets(of: [same], by: .after(.seconds(10)))
            case "GetSecret", "OpenSession": _ = try same.secret()
            case "ReadAlias": _ = try service.defaultCollection()
            case "CreateItem":
                _ = try same.collection.createItem(label: "x", attributes: ["a": "b"], secret: Secret("x"))
            case "Delete": try same.delete()
            default: _ = try same.attributes()
            }
        }
        #expect(error.code == .protocolViolation)
        #expect(error.outcomeIsUnknown == ["CreateItem", "Delete"].contains(method))
        #expect(calls.events.count { $0 == method } == 1)
        if method == "Get" { #expect(error.message.contains("a{ss}")) }
    }
}
