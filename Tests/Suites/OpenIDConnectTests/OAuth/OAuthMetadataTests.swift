import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests the metadata of a server that the processes of a project share. Each identity provider is as in a process of
/// its own.
struct OAuthMetadataTests {
    private static let question = "/.well-known/oauth-authorization-server/realm"
    private static let places = [question, "/.well-known/openid-configuration"]
    private static let day = 86400.0

    private let world = IssuerFixture()

    init() { world.issuer.change { $0.changeTokens = { $0["id_token"] = nil } } }

    private var fetches: Int { world.issuer.count(of: Self.question) }

    private func pass(_ seconds: Double) {
        world.issuer.advance(by: seconds)
        world.waited.advance(by: .seconds(seconds))
    }

    @discardableResult
    private func signIn() async throws -> User {
        let oauth2 = world.oauth2()
        let auth = try world.app(.oauth2(oauth2))
        return try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings())).user
    }

    /// Returns the endpoints as a new process has them for a session.
    private func server() async throws -> ServerMetadata { try await process().server() }

    private func process() -> OAuth2 {
        let oauth2 = world.oauth2()
        oauth2.attach(to: world.store, project: "default", timeout: .seconds(5))
        return oauth2
    }

    private func failFetches() {
        world.issuer.change { script in
            for place in Self.places { script.answers[place] = .success(.page(503)) }
        }
    }

    private func move(to endpoint: String) {
        world.issuer.change { script in
            script.changeMetadata = { $0["revocation_endpoint"] = .string("https://issuer.example/realm/\(endpoint)") }
        }
    }

    @Test("The processes of a project fetch the metadata once a day")
    func shared() async throws {
        let user = try await signIn()
        #expect(fetches == 1)
        let oauth2 = process()
        _ = try await oauth2.refresh(UserTokens(refreshToken: user.refreshToken, accessTokens: []), scopes: [])
        _ = try await server()
        #expect(fetches == 1)
        pass(Self.day)
        _ = try await server()
        _ = try await server()
        #expect(fetches == 2)
        // The first of them takes over what the others have fetched.
        _ = try await oauth2.server()
        #expect(fetches == 2)
    }

    @Test("Metadata that cannot be fetched again serves the session for another day")
    func unreachable() async throws {
        try await signIn()
        failFetches()
        pass(1.9 * Self.day)
        #expect(try await server().tokenEndpoint.text == "\(ScriptedIssuer.issuerURL)/token")
        pass(0.2 * Self.day)
        await expectFailure(.networkError) { try await server() }
    }

    @Test("A server without metadata is told by what to do")
    func none() async throws {
        world.issuer.change { script in
            for place in Self.places { script.answers[place] = .success(HTTPResponse(status: 404)) }
        }
        let error = await expectFailure(.webInternalError) { try await signIn() }
        #expect(error?.remedy == "Check the issuer URL. If the server publishes no metadata, give its endpoints.")
    }

    @Test(
        "A document at another address counts only if the server has none before",
        arguments: [
            (HTTPResponse(status: 404), AuthErrorCode?.none), (HTTPResponse(status: 403), nil), (.page(), nil),
            (.json(["name": "a"]), nil), (.page(503), .networkError), (HTTPResponse(status: 500), .webInternalError),
            (HTTPResponse(status: 429), .tooManyRequests),
        ]
    )
    func elsewhere(_ answer: HTTPResponse, _ code: AuthErrorCode?) async throws {
        world.issuer.change { $0.answers[Self.question] = .success(answer) }
        guard let code else { return #expect(try await signIn().uid == "ada") }
        let error = await expectFailure(code) { try await signIn() }
        #expect(error?.remedy?.contains("give its endpoints") != true)
    }

    @Test("The network's own page is not taken for a server without metadata")
    func portal() async throws {
        world.issuer.change { script in
            for place in Self.places { script.answers[place] = .success(.page()) }
        }
        let error = await expectFailure(.networkError) { try await signIn() }
        #expect(error?.remedy?.contains("endpoints") == false)
    }

    @Test("A sign-in fetches the metadata anew, for every process")
    func moved() async throws {
        try await signIn()
        move(to: "end")
        #expect(try await server().revocationEndpoint?.text.hasSuffix("/revoke") == true)
        try await signIn()
        #expect(try await server().revocationEndpoint?.text.hasSuffix("/end") == true)
        #expect(fetches == 2)
    }

    @Test("A refresh finds a token endpoint that has moved", arguments: [404, 410])
    func movedTokens(_ status: Int) async throws {
        let user = try await signIn()
        world.issuer.change { script in
            script.answers["/token"] = .success(HTTPResponse(status: status))
            script.answers["/new-token"] = .success(
                .json(["access_token": "new", "token_type": "bearer", "refresh_token": "next"])
            )
        }
        let tokens = UserTokens(refreshToken: user.refreshToken, accessTokens: [])
        await expectFailure(.webInternalError) { try await process().refresh(tokens, scopes: []) }
        world.issuer.change { script in
            script.changeMetadata = { $0["token_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/new-token") }
        }
        #expect(try await process().refresh(tokens, scopes: []).refreshToken == "next")
        // The other processes learn it.
        #expect(try await server().tokenEndpoint.text.hasSuffix("/new-token"))
        #expect(fetches == 3)
    }

    @Test("Metadata of a clock that was ahead is fetched again")
    func ahead() async throws {
        pass(30 * Self.day)
        try await signIn()
        world.issuer.advance(by: -30 * Self.day)
        _ = try await server()
        #expect(fetches == 2)
    }

    @Test("Stored metadata that is not the server's, or too large, is of no use")
    func refused() async throws {
        try await signIn()
        let records = try #require(process().records)
        let client = try await process().client()
        let other = FoundMetadata(document: ["issuer": "https://other.example"], date: world.issuer.now)
        try await records.remember(client, other)
        _ = try await server()
        #expect(fetches == 2)
        world.issuer.change { $0.changeMetadata = { $0["unknown"] = .string(String(repeating: "x", count: 20000)) } }
        try await signIn()
        #expect(try await records.read()?.metadata?.document["unknown"] == nil)
    }

    @Test("Metadata is stored beside a registered client, and neither replaces the other")
    func besideClient() async throws {
        let registered = try RegisteredClient(JSONObject(members: ["client_id": "client-1"]), redirectURIs: [])
        let records = try #require(process().records)
        let client = try await process().client()
        let need = ClientNeed(now: world.issuer.now)
        _ = try await records.add(registered, of: client, for: need)
        try await signIn()
        #expect(try await records.read()?.clients == [registered])
        let metadata = try #require(try await records.read()?.metadata)
        try await records.refuse(registered)
        let next = try RegisteredClient(JSONObject(members: ["client_id": "client-2"]), redirectURIs: [])
        _ = try await records.add(next, of: client, for: need)
        #expect(try await records.read()?.clients.map(\.id) == ["client-2", "client-1"])
        #expect(try await records.read()?.metadata == metadata)
    }
}
