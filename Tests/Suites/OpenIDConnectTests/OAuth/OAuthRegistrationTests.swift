import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests clients that the app registers itself, and the metadata that it needs for that.
struct OAuthRegistrationTests {
    let world = IssuerFixture()

    init() {
        world.issuer.change { script in
            script.changeTokens = { $0["id_token"] = nil }
            script.changeMetadata = { $0["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register") }
        }
    }

    private func oauth2(_ change: (inout OAuthRegistration) -> Void = { _ in }) -> OAuth2 {
        var registration = OAuthRegistration(clientName: "Feeds")
        change(&registration)
        let server = OAuthServer(issuerURL: ScriptedIssuer.issuerURL)
        return world.oauth2(OAuthClient(server, registering: registration, scopes: ["read", "write"]))
    }

    private func signIn(_ oauth2: OAuth2, in appID: String = "com.example.Mail") async throws -> User {
        let auth = try world.app(.oauth2(oauth2), appID: appID)
        return try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings())).user
    }

    private var registrations: [[String: JSONValue]] { world.issuer.script.withLock { $0.registrations } }

    @Test("The first sign-in registers a client, and all apps of the project use it")
    func shared() async throws {
        _ = try await signIn(oauth2())
        let oauth2 = oauth2()
        let auth = try world.app(.oauth2(oauth2))
        let user = try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings())).user
        let device = self.oauth2()
        device.attach(to: world.store, project: "default", timeout: .seconds(5))
        _ = try await DeviceSignIn(device) { _ in }.credential()
        #expect(registrations.count == 1)
        let members = try #require(registrations.first)
        #expect(members["client_name"] == "Feeds" && members["scope"] == "read write")
        #expect(members["token_endpoint_auth_method"] == "none" && members["application_type"] == "native")
        #expect(members["redirect_uris"] == .array(["http://127.0.0.1/callback"]))
        world.issuer.advance(by: 3600)
        _ = try await user.accessToken(forScopes: [])
        #expect(world.issuer.lastForm["client_id"] == "client-1")
    }

    @Test("The server's choice of authentication is kept", arguments: ["client_secret_post", "client_secret_basic"])
    func secret(_ method: String) async throws {
        world.issuer.change { script in
            script.changeRegistration = {
                $0["client_secret"] = "hush"
                $0["client_secret_expires_at"] = 0
                $0["token_endpoint_auth_method"] = .string(method)
            }
        }
        _ = try await signIn(oauth2())
        #expect((world.issuer.lastForm["client_secret"] == "hush") == (method == "client_secret_post"))
    }

    @Test(
        "An app does not register for a sign-in that the server does not offer",
        arguments: ["authorization_endpoint", "device_authorization_endpoint"]
    )
    func notOffered(_ endpoint: String) async throws {
        world.issuer.change { script in
            script.changeMetadata = { metadata in
                metadata["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register")
                metadata[endpoint] = nil
            }
        }
        let oauth2 = oauth2()
        oauth2.attach(to: world.store, project: "default", timeout: .seconds(5))
        await expectFailure(.operationNotAllowed) {
            endpoint.hasPrefix("device")
                ? try await DeviceSignIn(oauth2) { _ in }.credential()
                : try await OAuthSignIn(oauth2, browser: world.settings()).credential()
        }
        #expect(registrations.isEmpty)
    }

    @Test("A client without a secret does not expire", arguments: [nil, "hush"] as [String?])
    func withoutSecret(_ secret: String?) async throws {
        world.issuer.change { script in
            script.changeRegistration = { answer in
                answer["client_secret"] = secret.map { .string($0) }
                answer["client_secret_expires_at"] = 1
            }
        }
        _ = try await signIn(oauth2())
        _ = try await signIn(oauth2())
        #expect(registrations.count == 1 && world.issuer.lastForm["client_secret"] == nil)
    }

    @Test("A client is registered again if its secret expires, or the server forgets it")
    func again() async throws {
        let expiry = world.issuer.now.addingTimeInterval(100).timeIntervalSince1970
        world.issuer.change { script in
            script.changeRegistration = {
                $0["client_secret"] = "hush"
                $0["client_secret_expires_at"] = .number(expiry)
                $0["token_endpoint_auth_method"] = "client_secret_basic"
            }
        }
        _ = try await signIn(oauth2())
        world.issuer.advance(by: 101)
        world.issuer.change { $0.changeRegistration = { _ in } }
        _ = try await signIn(oauth2())
        #expect(registrations.count == 2)
        world.issuer.change { $0.answers["/token"] = .success(.refusal("invalid_client")) }
        await expectFailure(.invalidClientID) { try await signIn(oauth2()) }
        world.issuer.change { $0.answers["/token"] = nil }
        _ = try await signIn(oauth2())
        #expect(registrations.count == 3)
    }

    struct BadRegistration: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: HTTPResponse
        let code: AuthErrorCode?
    }

    static let long = String(repeating: "x", count: 65536)

    static let bad: [BadRegistration] = [
        .init(
            testDescription: "a long secret",
            answer: .json(["client_id": "a", "client_secret": .string(String(repeating: "s", count: 1025))]),
            code: .webInternalError
        ),
        .init(
            testDescription: "a secret beyond ASCII",
            answer: .json(["client_id": "a", "client_secret": "sécret"]),
            code: .webInternalError
        ),
        .init(testDescription: "no client ID", answer: .json([:]), code: .webInternalError),
        .init(testDescription: "a null client ID", answer: .json(["client_id": .null]), code: .webInternalError),
        .init(testDescription: "an empty client ID", answer: .json(["client_id": ""]), code: .webInternalError),
        .init(
            testDescription: "a client ID that is a number",
            answer: .json(["client_id": 7]),
            code: .webInternalError
        ),
        .init(
            testDescription: "a long client ID",
            answer: .json(["client_id": .string(long)]),
            code: .webInternalError
        ),
        .init(testDescription: "a line break", answer: .json(["client_id": "a\nb"]), code: .webInternalError),
        .init(
            testDescription: "a list",
            answer: HTTPResponse(status: 201, body: Array("[]".utf8)),
            code: .webInternalError
        ),
        .init(
            testDescription: "half an answer",
            answer: HTTPResponse(status: 201, body: Array("{".utf8)),
            code: .webInternalError
        ),
        .init(testDescription: "a page", answer: .page(), code: .networkError),
        .init(testDescription: "too many requests", answer: HTTPResponse(status: 429), code: .tooManyRequests),
        .init(testDescription: "no permission", answer: HTTPResponse(status: 401), code: .operationNotAllowed),
        .init(testDescription: "a refusal", answer: .refusal("invalid_redirect_uri"), code: .operationNotAllowed),
        .init(
            testDescription: "a refusal as a success",
            answer: .json(["error": "invalid_client_metadata"]),
            code: .operationNotAllowed
        ),
        .init(
            testDescription: "an authentication with a key",
            answer: .json(["client_id": "a", "token_endpoint_auth_method": "private_key_jwt"]),
            code: .operationNotAllowed
        ),
        .init(
            testDescription: "odd optional members",
            answer: .json([
                "client_id": "a", "client_secret": 7, "client_secret_expires_at": -1,
                "token_endpoint_auth_method": .null,
                "redirect_uris": "x", "scope": .array([]),
            ]),
            code: nil
        ),
        .init(
            testDescription: "empty optional members",
            answer: .json([
                "client_id": "a", "client_secret": "", "client_secret_expires_at": "", "token_endpoint_auth_method": "",
            ]),
            code: nil
        ),
        .init(
            testDescription: "the year 2100",
            answer: .json([
                "client_id": "a", "client_secret": "s", "client_secret_expires_at": 4_102_444_800,
            ]),
            code: nil
        ),
    ]

    @Test("Bad answers to registrations store nothing; odd optional members harm nothing", arguments: bad)
    func badRegistration(_ bad: BadRegistration) async throws {
        world.issuer.change { $0.answers["/register"] = .success(bad.answer) }
        let oauth2 = oauth2()
        guard let code = bad.code else { return #expect(try await signIn(oauth2).uid == "ada") }
        await expectFailure(code) { try await signIn(oauth2) }
        #expect(try await oauth2.records?.read() == nil)
        #expect(world.issuer.count(of: "/token authorization_code") == 0)
        world.issuer.change { $0.answers["/register"] = nil }
        _ = try await signIn(self.oauth2())
    }

    @Test(
        "Bad metadata names what is wrong, and odd optional members harm nothing",
        arguments: [
            ("token_endpoint", JSONValue?.none, AuthErrorCode.webInternalError),
            ("token_endpoint", .null, .webInternalError), ("token_endpoint", "", .webInternalError),
            ("token_endpoint", 7, .webInternalError),
            ("token_endpoint", "http://issuer.example/token", .webInternalError),
            ("issuer", "https://other.example", .webInternalError), ("issuer", .null, .webInternalError),
            ("registration_endpoint", .none, .operationNotAllowed),
            ("registration_endpoint", "https://127.0.0.1/register", .operationNotAllowed),
            ("code_challenge_methods_supported", .array(["plain"]), .operationNotAllowed),
            ("jwks_uri", nil, nil), ("jwks_uri", 7, nil), ("revocation_endpoint", .array([]), nil),
            ("scopes_supported", "read", nil), ("token_endpoint_auth_methods_supported", .object([:]), nil),
            ("introspection_endpoint", "", nil), ("unknown", .string(long), nil),
        ] as [(String, JSONValue?, AuthErrorCode?)]
    )
    func badMetadata(_ member: String, _ value: JSONValue?, _ code: AuthErrorCode?) async throws {
        world.issuer.change { script in
            script.changeMetadata = { metadata in
                metadata["registration_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/register")
                metadata[member] = value
            }
        }
        guard let code else { return #expect(try await signIn(oauth2()).uid == "ada") }
        await expectFailure(code) { try await signIn(oauth2()) }
        #expect(registrations.isEmpty)
    }

    @Test("An app that has not been configured with its identity provider cannot register")
    func unattached() async throws {
        await expectFailure(.operationNotAllowed) {
            try await OAuthSignIn(oauth2(), browser: world.settings()).credential()
        }
        #expect(registrations.isEmpty)
    }
}
