import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST
@testable import PassStandInServer

/// The TV provider's metadata of a user, from the stand-in server to the app.
@Suite(.timeLimit(.minutes(2)))
struct MetadataTests {
    private let standIn: InProcessPass

    init() throws { standIn = try InProcessPass() }

    /// Returns the value of an attribute in the server's last response.
    private func sent(_ name: String) throws -> JSONValue? {
        let answer = try #require(standIn.profiles.events.last)
        return JSONValue(bytes: answer)?["profiles"]?["Encrypted"]?["attributes"]?[name]
    }

    private func giveKey(_ key: TokenPublicKey) async throws {
        let order: [String: JSONValue] = ["requestor": .string("ExampleNews"), "publicKey": .string(key.pem)]
        try await standIn.turn("metadata-key", JSONValue.object(order).text)
    }

    @Test("Encrypted metadata is passed on unchanged, for the programmer's key only")
    func encrypted() async throws {
        let programmer = try TokenSigningKey()
        try await giveKey(programmer.publicKey)
        let app = try standIn.app()
        try await app.start()
        try await app.signIn("Encrypted", at: standIn)
        let key = try MetadataDecryptionKey(pem: programmer.pem)
        for (name, clear) in [("zip", "12345"), ("householdID", "household-")] {
            let answer = await app.enabler.getMetadata(.user(name))
            guard case .string(let value)? = answer.value else { throw Unexpected() }
            #expect(answer.isEncrypted)
            let sent = try sent(name)
            #expect(sent?["state"]?.string == "enc" && sent?["value"]?.string == value)
            #expect(try key.decrypt(value).hasPrefix(clear))
        }
        let plain = await app.enabler.getMetadata(.user("language"))
        #expect(plain.value == .string("en") && !plain.isEncrypted)

        // After a restart of the app the stored value is the same, and the server is not called.
        let asked = standIn.profiles.events.count
        let restarted = try standIn.app()
        try await restarted.start()
        let first = await app.enabler.getMetadata(.user("zip"))
        let second = await restarted.enabler.getMetadata(.user("zip"))
        #expect(second.value == first.value && second.isEncrypted && second.value != nil)
        #expect(standIn.profiles.events.count == asked)
    }

    @Test("A callback marks a value as encrypted and passes it unchanged")
    func callback() async throws {
        try await giveKey(try TokenSigningKey().publicKey)
        let app = try standIn.app()
        try await app.start()
        try await app.signIn("Encrypted", at: standIn)
        app.call { $0.getMetadata(.user("zip")) }
        guard case .metadata(let answer) = await app.hear(until: "metadata").last else { throw Unexpected() }
        #expect(answer.isEncrypted && answer.key == .user("zip"))
        guard case .string(let value)? = answer.value else { throw Unexpected() }
        #expect(try sent("zip")?["value"]?.string == value)
    }

    @Test("A programmer without a key receives no metadata that must be encrypted")
    func withoutKey() async throws {
        let app = try standIn.app()
        try await app.start()
        try await app.signIn("Encrypted", at: standIn)
        let answer = await app.enabler.getMetadata(.user("zip"))
        #expect(answer.value == nil && !answer.isEncrypted)
        #expect(await app.enabler.getMetadata(.user("language")).value == .string("en"))
    }

    @Test("Metadata too large for a record is cut; the sign-in succeeds with one callback")
    func tooLarge() async throws {
        try await standIn.turn("metadata", #"{"channels": 3750}"#)
        let app = try standIn.app()
        try await app.start()
        app.enabler.handleExternalURL(try await standIn.signIn(at: try await app.page()))
        #expect(await app.words(until: "authentication") == ["authentication(1)"])
        #expect(try app.signedIn == ["Cable"])
        // The store has the other values, which need no server.
        let asked = standIn.profiles.events.count
        #expect(await app.enabler.getMetadata(.user("zip")).value == .array([.string("12345")]))
        #expect(standIn.profiles.events.count == asked)
        let channels = await app.enabler.getMetadata(.user("channelID")).value
        #expect(channels == .array((1...3750).map { .string("channel-\($0)") }))
        #expect(standIn.profiles.events.count == asked + 1)
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        #expect(await app.words(until: "authentication").last == "authentication(1)")
    }
}
