import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

/// An app's registrations with Pass servers.
struct StoredClientTests {
    private static let server = "https://pass.example"

    let world = PassStoreFixture()

    private func clients(_ app: String = "com.example.one") -> StoredClients {
        StoredClients(appID: app, in: world.keyring)
    }

    private func client(_ number: Int) -> RegisteredClient {
        RegisteredClient(id: "client\(number)", secret: "secret\(number)")
    }

    @Test("A client belongs to one app and one server")
    func own() throws {
        let clients = clients()
        #expect(try clients.client(at: Self.server) == nil)
        #expect(try clients.replace(nil, with: client(1), at: Self.server) == client(1))
        #expect(try clients.client(at: Self.server) == client(1))
        #expect(try clients.client(at: "https://other.example") == nil)
        #expect(try self.clients("com.example.two").client(at: Self.server) == nil)
    }

    @Test("Only the refused client is replaced, and the faster process wins")
    func replaced() throws {
        let clients = clients()
        _ = try clients.replace(nil, with: client(1), at: Self.server)
        #expect(try clients.replace(nil, with: client(2), at: Self.server) == client(1))
        #expect(try clients.replace(client(1), with: client(2), at: Self.server) == client(2))
        #expect(try clients.replace(client(1), with: client(3), at: Self.server) == client(2))
        #expect(try clients.client(at: Self.server) == client(2))
    }

    @Test("No log-out deletes a client, and its key does not reveal the server")
    func logOut() throws {
        let clients = clients()
        _ = try clients.replace(nil, with: client(1), at: Self.server)
        let key = try #require(world.keyring.takeWrites().last)
        #expect(key.scope == .app("com.example.one") && key.kind.hasPrefix("pass-client."))
        #expect(!key.kind.contains("pass.example"))
        for group in [nil, PassStoreFixture.team] {
            let store = try world.store(group: group, integrity: .clear)
            _ = try store.configure(RequestorConfiguration("R1", "M1"))
            try store.logOut()
        }
        #expect(try clients.client(at: Self.server) == client(1))
    }

    @Test("A damaged client record counts as missing; the next registration sets it aside")
    func damaged() throws {
        let clients = clients()
        _ = try clients.replace(nil, with: client(1), at: Self.server)
        let key = try #require(world.keyring.takeWrites().last)
        try world.put("{}", under: key)
        #expect(try clients.client(at: Self.server) == nil)
        #expect(try clients.replace(nil, with: client(2), at: Self.server) == client(2))
        #expect(try clients.client(at: Self.server) == client(2))
        world.keyring.fail(as: .locked)
        #expect(throws: PassStoreError.self) { try clients.client(at: Self.server) }
    }

    @Test("A client knows its software statement; one from an earlier version does not")
    func statement() throws {
        let made = RegisteredClient(id: "i", secret: "s", softwareStatement: "one")
        #expect(made.isMade(of: "one") && !made.isMade(of: "two"))
        let clients = clients()
        _ = try clients.replace(nil, with: made, at: Self.server)
        #expect(try clients.client(at: Self.server)?.isMade(of: "one") == true)
        let earlier = try JSONDecoder().decode(RegisteredClient.self, from: Data(#"{"id":"i","secret":"s"}"#.utf8))
        #expect(earlier == RegisteredClient(id: "i", secret: "s") && !earlier.isMade(of: "one"))
    }

    @Test("A printed client shows nothing")
    func redaction() {
        let texts = ["\(client(1))", String(reflecting: client(1)), "\(Mirror(reflecting: client(1)).children.count)"]
        #expect(texts == ["RegisteredClient", "RegisteredClient", "0"])
    }

    @Test("A profile's token names its client; other tokens name none")
    func profileClient() throws {
        let token = try AuthenticationToken(
            profileOf: "person",
            requestor: "R1",
            mvpd: "M1",
            expires: world.clock.now,
            fingerprint: "f",
            client: client(1).digest
        )
        #expect(token.profileClient == client(1).digest && client(1).digest != client(2).digest)
        #expect(try AuthenticationToken(fragment: token.serialized) == token)
        #expect(try world.token("R1", "M1").profileClient == nil)
    }
}
