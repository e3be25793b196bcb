import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassAuth
@testable import PassREST

/// Clients and access tokens: obtained once, renewed once, replaced once.
@Suite(.timeLimit(.minutes(2)))
struct RegistrationTests {
    private let world = PassFixture()

    private func configure(_ backEnd: PassRESTBackend) async throws(PassBackendError) {
        _ = try await backEnd.configuration(world.request(nil))
    }

    /// Returns a registered back end whose server has a configuration.
    private func ready() async throws -> PassRESTBackend {
        world.pass.answer("GET /REQ/configuration", .json(PassFixture.configuration))
        return try await world.registered()
    }

    @Test("The software statement is exchanged for a client, and that for an access token")
    func registration() async throws {
        let backEnd = try world.backEnd { $0.registrationRedirectURI = "com.example.one:/" }
        try await backEnd.register("statement", world.options)
        let sent = world.pass.takeSent()
        try #require(sent.map(\.call) == ["POST /o/client/register", "POST /o/client/token"])
        #expect(sent[0].body == #"{"redirect_uri":"com.example.one:/","software_statement":"statement"}"#)
        #expect(sent[0].headers["Content-Type"] == "application/json")
        #expect(sent[0].headers["X-Device-Info"] == world.options.client.base64)
        #expect(sent[0].headers["Authorization"] == nil)
        #expect(sent[1].body == "client_id=client1&client_secret=secret1&grant_type=client_credentials")
        #expect(sent[1].headers["Content-Type"] == "application/x-www-form-urlencoded")
        let client = RegisteredClient(id: "client1", secret: "secret1", softwareStatement: "statement")
        #expect(try world.clients().client(at: "http://127.0.0.1:1") == client)
    }

    @Test("A client is stored permanently and belongs to one app")
    func kept() async throws {
        _ = try await ready()
        try await world.backEnd().register("another statement", world.options)
        #expect(world.pass.takeSent().map(\.call) == ["POST /o/client/token"])
        try await world.backEnd("com.example.two").register("statement", world.options)
        #expect(world.pass.takeSent().count == 2)
        #expect(try world.clients(of: "com.example.two").client(at: "http://127.0.0.1:1")?.id == "client2")
    }

    @Test("An access token is renewed before it expires, and not earlier")
    func renewal() async throws {
        let backEnd = try await ready()
        world.clock.advance(by: 3539)
        try await configure(backEnd)
        #expect(world.pass.takeSent().map(\.call) == ["GET /api/v2/REQ/configuration"])
        world.clock.advance(by: 1)
        try await configure(backEnd)
        let sent = world.pass.takeSent()
        #expect(sent.map(\.call) == ["POST /o/client/token", "GET /api/v2/REQ/configuration"])
        #expect(sent.last?.headers["Authorization"] == "Bearer token2")
    }

    @Test("An early renewal may fail without effect; a late one is an error")
    func failedRenewal() async throws {
        let backEnd = try await ready()
        world.pass.change { $0.tokenAnswers = [.json("{}", 503), .json("{}", 503)] }
        world.clock.advance(by: 3550)
        try await configure(backEnd)
        #expect(world.pass.takeCalls().first?.headers["Authorization"] == "Bearer token1")
        world.clock.advance(by: 50)
        #expect(await failure { () throws(PassBackendError) in try await configure(backEnd) }?.code == .server)
        try await configure(backEnd)
    }

    @Test("Many calls that need an access token share one renewal", arguments: [true, false])
    func oneRenewal(isRefused: Bool) async throws {
        let backEnd = try await ready()
        if isRefused { world.pass.change { $0.refusedTokens = ["token1"] } } else { world.clock.advance(by: 4000) }
        world.pass.hold()
        var calls = world.pass.calls.makeAsyncIterator()
        let tasks = (0..<20).map { _ in
            Task { await failure { () throws(PassBackendError) in try await configure(backEnd) } }
        }
        // All are refused, or wait, before the one renewal ends.
        var seen = 0
        while let call = await calls.next() {
            if call == "POST /o/client/token" { seen += 1 }
            if seen == 2 { break }
        }
        world.pass.release()
        for task in tasks { #expect(await task.value == nil) }
        let sent = world.pass.takeSent()
        #expect(sent.count { $0.isTokenRequest } == 1)
        #expect(sent.count { $0.headers["Authorization"] == "Bearer token2" } == 20)
    }

    @Test("Cancelling one caller does not end the renewal that others await")
    func cancelled() async throws {
        let backEnd = try await ready()
        world.clock.advance(by: 4000)
        world.pass.hold()
        var calls = world.pass.calls.makeAsyncIterator()
        while let call = await calls.next(), call != "POST /o/client/token" {}
        let impatient = Task { await failure { () throws(PassBackendError) in try await configure(backEnd) } }
        while let call = await calls.next(), call != "POST /o/client/token" {}
        let patient = Task { await failure { () throws(PassBackendError) in try await configure(backEnd) } }
        impatient.cancel()
        world.pass.release()
        #expect(await patient.value == nil)
        #expect(world.pass.takeSent().count { $0.isTokenRequest } == 1)
    }

    @Test("A refused access token is replaced once; a second refusal is an error")
    func refusedToken() async throws {
        let backEnd = try await ready()
        world.pass.change { $0.refusedTokens = ["token1"] }
        try await configure(backEnd)
        #expect(
            world.pass.takeSent().map(\.call) == [
                "GET /api/v2/REQ/configuration", "POST /o/client/token", "GET /api/v2/REQ/configuration",
            ]
        )
        world.pass.change { $0.refusedTokens = ["token2", "token3"] }
        #expect(await failure { () throws(PassBackendError) in try await configure(backEnd) }?.code == .noAccessToken)
        #expect(world.pass.takeSent().count == 3)
    }

    @Test("A refused client registers again exactly once", arguments: [true, false])
    func reregistration(isRefusedByCall: Bool) async throws {
        let backEnd = try await ready()
        world.pass.change { $0.refusedClients = ["client1"] }
        if !isRefusedByCall { world.clock.advance(by: 4000) }
        let tasks = (0..<10).map { _ in
            Task { await failure { () throws(PassBackendError) in try await configure(backEnd) } }
        }
        for task in tasks { #expect(await task.value == nil) }
        #expect(world.pass.takeSent().count { $0.isRegistration } == 1)
        #expect(try world.clients().client(at: "http://127.0.0.1:1")?.id == "client2")
        world.pass.change { $0.refusedClients = ["client1", "client2", "client3"] }
        for _ in 0..<3 {
            #expect(
                await failure { () throws(PassBackendError) in try await configure(backEnd) }?.code == .notRegistered
            )
        }
        #expect(world.pass.takeSent().count { $0.isRegistration } == 0)
        // The app requests a registration, so one more follows.
        #expect(
            await failure { () throws(PassBackendError) in try await backEnd.register("statement", world.options) }
                != nil
        )
        #expect(world.pass.takeSent().count { $0.isRegistration } == 1)
    }

    @Test("If two processes replace a client, the second uses the first one's client")
    func secondProcess() async throws {
        let (one, two) = (try await ready(), try await ready())
        world.pass.change { $0.refusedClients = ["client1"] }
        try await configure(one)
        try await configure(two)
        #expect(world.pass.takeSent().count { $0.isRegistration } == 1)
        #expect(try world.clients().client(at: "http://127.0.0.1:1")?.id == "client2")
    }

    @Test(
        "An expired, revoked or invalid software statement is notRegistered",
        arguments: [
            "invalid_software_statement", "unapproved_software_statement", "invalid_request", "invalid_redirect_uri",
        ]
    )
    func statement(_ word: String) async throws {
        let backEnd = try world.backEnd()
        world.pass.change { $0.registrations = [.json(#"{"error": "\#(word)"}"#, 400)] }
        let error = await failure { () throws(PassBackendError) in try await backEnd.register("bad", world.options) }
        #expect(error?.code == .notRegistered && error?.message.contains(word) == true)
        #expect(error?.message.contains("bad") == false)
        #expect(world.pass.takeSent().map(\.call) == ["POST /o/client/register"])
        // The statement is revoked while the app runs.
        let running = try await ready()
        world.pass.change {
            ($0.refusedClients, $0.registrations) = (["client1"], [.json(#"{"error": "\#(word)"}"#, 400)])
        }
        #expect(await failure { () throws(PassBackendError) in try await configure(running) }?.code == .notRegistered)
    }

    @Test(
        "A new client that is refused an access token is noAccessToken",
        arguments: ["invalid_request", "unauthorized_client", "unsupported_grant_type"]
    )
    func noAccessToken(_ word: String) async throws {
        world.pass.change { $0.tokenAnswers = [.json(#"{"error": "\#(word)"}"#, 400)] }
        let backEnd = try world.backEnd()
        let error = await failure { () throws(PassBackendError) in try await backEnd.register("s", world.options) }
        #expect(error?.code == .noAccessToken)
        #expect(world.pass.takeSent().map(\.call) == ["POST /o/client/register", "POST /o/client/token"])
    }

    @Test("A client whose statement was revoked since is notRegistered")
    func revoked() async throws {
        _ = try await ready()
        world.pass.change {
            $0.tokenAnswers = [.json(#"{"error": "unauthorized_client"}"#, 400)]
            $0.registrations = [.json(#"{"error": "unapproved_software_statement"}"#, 400)]
        }
        let backEnd = try world.backEnd()
        let error = await failure { () throws(PassBackendError) in try await backEnd.register("s", world.options) }
        #expect(error?.code == .notRegistered)
    }

    @Test("An access token refused for a programmer is renewed once, then an error")
    func otherProgrammer() async throws {
        let backEnd = try await ready()
        world.pass.answer("GET /REQ/configuration", .error("invalid_access_token_service_provider", 401))
        #expect(await failure { () throws(PassBackendError) in try await configure(backEnd) }?.code == .notRegistered)
        #expect(world.pass.takeSent().count { $0.isRegistration } == 0)
    }

    @Test("A client of an earlier statement is replaced once if its programmer is refused")
    func laterStatement() async throws {
        _ = try await ready()
        let backEnd = try world.backEnd()
        try await backEnd.register("a later statement", world.options)
        let refusal = HTTPResponse.error("invalid_access_token_service_provider", 401)
        world.pass.answer("GET /REQ/configuration", refusal, refusal, .json(PassFixture.configuration))
        _ = world.pass.takeSent()
        try await configure(backEnd)
        let registrations = world.pass.takeSent().filter(\.isRegistration)
        try #require(registrations.count == 1)
        #expect(registrations[0].body.contains("a later statement"))
        #expect(try world.clients().client(at: "http://127.0.0.1:1")?.id == "client2")
        world.pass.answer("GET /REQ/configuration", refusal)
        #expect(await failure { () throws(PassBackendError) in try await configure(backEnd) }?.code == .notRegistered)
        #expect(world.pass.takeSent().count { $0.isRegistration } == 0)
    }

    @Test("Each setRequestor lets the clients of all servers register again")
    func beginning() async throws {
        let other = "http://127.0.0.1:2"
        world.pass.answer("GET /REQ/configuration", .json(PassFixture.configuration))
        let backEnd = try world.backEnd(others: [other])
        var request = world.request(nil)
        request.serviceProvider = other
        try await backEnd.register("statement", world.options)
        _ = try await backEnd.configuration(request)
        world.pass.change { $0.refusedClients = ["client2"] }
        _ = try await backEnd.configuration(request)
        world.pass.change { $0.refusedClients = ["client2", "client3"] }
        let error = await failure { () throws(PassBackendError) in try await backEnd.configuration(request) }
        #expect(error?.code == .notRegistered)
        try await backEnd.register("statement", world.options)
        _ = try await backEnd.configuration(request)
        #expect(try world.clients().client(at: other)?.id == "client4")
    }

    @Test("A locked keyring does not cause another registration")
    func locked() async throws {
        let keyring = FaultInjectingStore(world.keyring)
        keyring.fail(.read, with: RecordStoreError(.locked, "The keyring is locked."))
        let backEnd = PassRESTBackend(
            try PassEndpoints(api: "http://127.0.0.1:1"),
            clients: StoredClients(appID: "com.example.one", in: keyring),
            settings: .init(),
            elapsed: { .zero }
        )
        let error = await failure { () throws(PassBackendError) in try await backEnd.register("s", world.options) }
        #expect(error?.code == .noAccessToken)
        #expect(world.pass.takeSent().isEmpty)
    }

    @Test("Each server that setRequestor names has its own client and access token")
    func servers() async throws {
        world.pass.answer("GET /REQ/configuration", .json(PassFixture.configuration))
        let backEnd = try world.backEnd(others: ["https://other.example/pass"])
        try await backEnd.register("statement", world.options)
        var request = world.request(nil)
        request.serviceProvider = "https://other.example/pass/"
        _ = world.pass.takeSent()
        _ = await failure { () throws(PassBackendError) in try await backEnd.configuration(request) }
        let sent = world.pass.takeSent()
        #expect(
            sent.map(\.url) == [
                "https://other.example/pass/o/client/register", "https://other.example/pass/o/client/token",
                "https://other.example/pass/api/v2/REQ/configuration",
            ]
        )
        request.serviceProvider = "https://stranger.example"
        #expect(
            await failure { () throws(PassBackendError) in try await backEnd.configuration(request) }?.code
                == .badRequest
        )
        #expect(world.pass.takeSent().isEmpty)
    }
}
