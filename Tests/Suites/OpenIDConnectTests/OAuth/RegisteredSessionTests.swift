import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests sessions of clients that the apps of a project register: each keeps its own.
struct RegisteredSessionTests {
    private static let device = DeviceFlow.grantType

    private let world = IssuerFixture()

    init() {
        world.issuer.change { script in
            script.changeTokens = { $0["id_token"] = nil }
            script.changeMetadata = { $0["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register") }
        }
    }

    private func oauth2() -> OAuth2 {
        let server = OAuthServer(issuerURL: ScriptedIssuer.issuerURL)
        return world.oauth2(OAuthClient(server, registering: OAuthRegistration(clientName: "Feeds"), scopes: ["read"]))
    }

    private func attached(_ oauth2: OAuth2) -> OAuth2 {
        oauth2.attach(to: world.store, project: "default", timeout: .seconds(5))
        return oauth2
    }

    private func signIn(
        _ appID: String = "com.example.Mail",
        _ change: (inout BrowserSettings) -> Void = { _ in }
    ) async throws -> (auth: Auth, user: User) {
        let oauth2 = oauth2()
        let auth = try world.app(.oauth2(oauth2), appID: appID)
        return (auth, try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings(change))).user)
    }

    private var registrations: Int { world.issuer.script.withLock { $0.registrations.count } }

    /// Refuses the refresh token of a client that another one sends, as RFC 6749 requires.
    private func bindSessions(to client: String) {
        world.issuer.change { script in
            script.respond = { question, form in
                question == "/token refresh_token" && form["client_id"] != client ? .refusal("invalid_grant") : nil
            }
        }
    }

    @Test(
        "A session keeps its client when another is registered",
        arguments: [("invalid_client", 2), ("unauthorized_client", 1), ("access_denied", 1)]
    )
    func kept(_ word: String, _ count: Int) async throws {
        let (auth, user) = try await signIn()
        world.issuer.change { $0.answers["/token"] = .success(.refusal(word)) }
        await #expect(throws: AuthError.self) { try await signIn("com.example.Calendar") }
        world.issuer.change { $0.answers["/token"] = nil }
        _ = try await signIn("com.example.Calendar")
        #expect(registrations == count)
        bindSessions(to: "client-1")
        world.issuer.advance(by: 3600)
        _ = try await user.accessToken(forScopes: [])
        let peer = try #require(try world.app(.oauth2(oauth2())).currentUser)
        world.issuer.advance(by: 3600)
        _ = try await peer.accessToken(forScopes: [])
        try await auth.signOut(timeout: .seconds(5))
        // With the same client, the other app has the same account, whose session is not revoked.
        let live = world.issuer.script.withLock { $0.refreshTokens.count }
        #expect(world.issuer.lastForm["client_id"] == "client-1" && live == (count == 2 ? 1 : 2))
    }

    @Test("A session of a registered client is found by its issuer, with the secret")
    func found() async throws {
        world.issuer.change { script in
            script.changeRegistration = { answer in
                (answer["client_secret"], answer["token_endpoint_auth_method"]) = ("hush", "client_secret_post")
            }
        }
        let user = try await signIn().user
        let issuer = "oauth2:\(ScriptedIssuer.issuerURL)#client-1"
        #expect(user.knownIssuer == issuer)
        let stored = attached(OAuth2(issuer, nil, http: world.http, world.dependencies))
        let tokens = try await stored.refresh(UserTokens(refreshToken: user.refreshToken, accessTokens: []), scopes: [])
        #expect(world.issuer.lastForm["client_secret"] == "hush")
        // Another device of a fleet has no record.
        let other = OAuth2(issuer, nil, http: world.http, world.dependencies)
        _ = try await other.refresh(tokens, scopes: [])
        #expect(world.issuer.lastForm["client_id"] == "client-1" && world.issuer.lastForm["client_secret"] == nil)
    }

    @Test("A sign-in goes on with its client when another is registered meanwhile")
    func running() async throws {
        world.issuer.change { script in
            script.changeMetadata = { metadata in
                metadata["userinfo_endpoint"] = nil
                metadata["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register")
                metadata["introspection_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/introspect")
            }
            script.changeIntrospection = { $0["client_id"] = "client-1" }
        }
        let (first, second) = (attached(oauth2()), attached(oauth2()))
        let credential = try await OAuthSignIn(first, browser: world.settings()).credential()
        let settings = world.settings { $0.redirectPort = 8765 }
        let other = try await OAuthSignIn(second, browser: settings).credential()
        #expect(registrations == 2)
        #expect(try await first.signIn(with: credential, tenantID: nil).issuer?.hasSuffix("#client-1") == true)
        await first.discard(other)
        #expect(world.issuer.lastForm["client_id"] == "client-2")
    }

    @Test("A sign-in registers a client for a redirect URI that none has")
    func redirect() async throws {
        _ = try await signIn()
        _ = try await signIn("com.example.Calendar") { $0.redirectPort = 8765 }
        _ = try await signIn("com.example.Calendar") { $0.redirectPort = 8765 }
        #expect(registrations == 2)
        // The path of the redirect depends on whether the server names itself in it.
        world.issuer.change { script in
            script.changeMetadata = { metadata in
                metadata["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register")
                metadata["authorization_response_iss_parameter_supported"] = nil
            }
        }
        _ = try await signIn()
        _ = try await signIn()
        #expect(registrations == 3)
    }

    @Test("A sign-in on another device registers a client if none has that grant")
    func grant() async throws {
        world.issuer.change { script in
            script.changeMetadata = { metadata in
                metadata["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register")
                metadata["device_authorization_endpoint"] = nil
            }
        }
        _ = try await signIn()
        world.issuer.change { script in
            script.changeMetadata = { $0["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register") }
        }
        let device = attached(oauth2())
        for _ in 1...2 { _ = try await DeviceSignIn(device) { _ in }.credential() }
        #expect(registrations == 2)
    }

    @Test("An app takes no session of another server, nor without a client")
    func others() {
        let oauth2 = oauth2()
        let url = ScriptedIssuer.issuerURL
        for issuer in ["oauth2:\(url)", "oauth2:https://other.example#client-1", "\(url)#client-1", "oauth2:\(url)#"] {
            #expect(oauth2.other(ofIssuer: issuer) == nil, "\(issuer)")
        }
        #expect(oauth2.other(ofIssuer: "oauth2:\(url)#client-1") != nil)
        #expect(world.oauth2().other(ofIssuer: "oauth2:\(url)#client-1") == nil)
    }

    private static func client(
        _ id: String,
        expiresAt seconds: Double? = nil,
        _ redirectURIs: [String] = ["a"],
        grants: [String] = ["authorization_code"]
    ) throws -> RegisteredClient {
        var answer: [String: JSONValue] = ["client_id": .string(id), "client_secret": .string("hidden")]
        answer["client_secret_expires_at"] = seconds.map { .number($0) }
        return try RegisteredClient(JSONObject(members: answer), redirectURIs: redirectURIs, grantTypes: grants)
    }

    @Test("A record keeps the newest clients, and chooses one that a sign-in can use")
    func record() throws {
        let now = Date(timeIntervalSince1970: 1000)
        var record = OAuthRecord(OAuthClient(OAuthServer(issuerURL: "https://a.example"), clientID: "a"))
        for number in 1...10 { record.add(try Self.client("client-\(number)")) }
        #expect(record.clients.map(\.id).first == "client-10" && record.clients.count == OAuthRecord.mostClients)
        #expect(record.client("client-2") == nil)
        record.add(try Self.client("expired", expiresAt: 999))
        record.add(try Self.client("device", ["b"], grants: [Self.device]))
        record.refuse(try #require(record.client("client-10")))
        record.refuse(try Self.client("client-9", ["other"]))
        let rows: [(ClientNeed, String?)] = [
            (ClientNeed(now: now), "device"),
            (ClientNeed(redirectURIs: ["a"], now: now), "client-9"),
            (ClientNeed(redirectURIs: ["a"], now: Date(timeIntervalSince1970: 998)), "expired"),
            (ClientNeed(redirectURIs: ["a", "b"], now: now), nil),
            (ClientNeed(redirectURIs: ["b"], grantType: Self.device, now: now), "device"),
            (ClientNeed(redirectURIs: ["a"], grantType: Self.device, now: now), nil),
        ]
        for (need, id) in rows { #expect(record.client(for: need)?.id == id) }
        #expect(record.client("client-10")?.isRefused == true)
    }

    @Test("No text of a registered client or its record has the secret")
    func redacted() throws {
        let client = try Self.client("client-1")
        var record = OAuthRecord(OAuthClient(OAuthServer(issuerURL: "https://a.example"), clientID: "a"))
        record.add(client)
        for value in [client, record, [client], record.clients] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains("hidden")) }
        }
    }
}
