import Foundation
import SecretService
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect
@testable import SharedAuth

/// A fault of an issuer or of the network during a sign-in, and its error code.
struct BadAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: AuthErrorCode
    let script: @Sendable (inout ScriptedIssuer.Script) -> Void

    init(_ title: String, _ code: AuthErrorCode, _ script: @escaping @Sendable (inout ScriptedIssuer.Script) -> Void) {
        (testDescription, self.code, self.script) = (title, code, script)
    }

    static func claim(_ title: String, _ code: AuthErrorCode, _ name: String, _ value: JSONValue?) -> BadAnswer {
        BadAnswer(title, code) { $0.changeClaims = { $0[name] = value } }
    }

    static func metadata(_ title: String, _ name: String, _ value: String) -> BadAnswer {
        BadAnswer(title, .webInternalError) { $0.changeMetadata = { $0[name] = .string(value) } }
    }

    static func redirect(_ title: String, _ code: AuthErrorCode, _ items: [String: String]) -> BadAnswer {
        BadAnswer(title, code) { script in
            script.changeRedirect = { before in
                before = items.merging(before.filter { $0.key == "state" }) { $1 }
            }
        }
    }

    static func answer(
        _ title: String,
        _ code: AuthErrorCode,
        _ path: String,
        _ answer: Result<HTTPResponse, HTTPError>
    ) -> BadAnswer {
        BadAnswer(title, code) { $0.answers[path] = answer }
    }

    static let unreachable = Result<HTTPResponse, HTTPError>.failure(HTTPError(.unreachable, "It cannot be reached."))
    static let half = Result<HTTPResponse, HTTPError>.success(
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(#"{"access_to"#.utf8))
    )

    static let discovery = "/.well-known/openid-configuration"
    static let seconds: Double = 1_800_000_000

    static let all: [BadAnswer] = [
        claim("another audience", .invalidCredential, "aud", "other"),
        claim("other audiences without this one", .invalidCredential, "aud", .array(["web", "other"])),
        claim("another azp", .invalidCredential, "azp", "other"),
        claim("no audience", .invalidCredential, "aud", nil),
        claim("another issuer in the ID token", .invalidCredential, "iss", "https://issuer.example/realm/"),
        BadAnswer("an expired ID token", .invalidCredential) { script in
            script.changeClaims = { claims in
                claims["iat"] = .number(seconds - 500)
                claims["exp"] = .number(seconds - 61)
            }
        },
        claim("a clock an hour ahead", .invalidCredential, "iat", .number(seconds - 3500)),
        claim("a clock an hour behind", .invalidCredential, "iat", .number(seconds + 3500)),
        claim("an ID token for later", .invalidCredential, "nbf", .number(seconds + 120)),
        BadAnswer("a line break in the subject", .invalidCredential) { $0.subject = "ada\n--config=/tmp/x" },
        claim("a logout token's events", .invalidCredential, "events", .object([:])),
        BadAnswer("a logout token", .invalidCredential) { $0.tokenType = "logout+jwt" },
        BadAnswer("an access token", .invalidCredential) { $0.tokenType = "application/at+JWT" },
        BadAnswer("an algorithm that is not announced", .invalidCredential) { script in
            script.changeMetadata = { $0["id_token_signing_alg_values_supported"] = .array(["RS256"]) }
        },
        metadata("keys on this machine", "jwks_uri", "http://127.0.0.1:6080/keys"),
        metadata("a token endpoint on this machine", "token_endpoint", "https://localhost:2375/containers/create"),
        claim("no subject", .invalidCredential, "sub", nil),
        BadAnswer("a subject of 300 characters", .invalidCredential) { script in
            script.subject = String(repeating: "a", count: 300)
        },
        claim("another access token", .invalidCredential, "at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
        claim("another nonce", .missingOrInvalidNonce, "nonce", "other"),
        claim("no nonce", .missingOrInvalidNonce, "nonce", nil),
        BadAnswer("an unsigned ID token", .invalidCredential) { $0.signature = .none },
        BadAnswer("a signature with the public key as the secret", .invalidCredential) {
            $0.signature = .hmacOfPublicKey
        },
        BadAnswer("a signature of another key", .invalidCredential) { $0.signature = .ofOtherKey },
        BadAnswer("a garbled signature", .invalidCredential) { $0.signature = .garbled },
        BadAnswer("a key that is not published", .invalidCredential) { $0.publishedKeys = [.init("other")] },
        answer(
            "an invalid ID token",
            .malformedJWT,
            "/token",
            .success(.json(["access_token": "a", "token_type": "Bearer", "id_token": "nonsense"]))
        ),
        answer(
            "no ID token",
            .webInternalError,
            "/token",
            .success(.json(["access_token": "a", "token_type": "Bearer"]))
        ),
        answer(
            "tokens bound to a key",
            .operationNotAllowed,
            "/token",
            .success(.json(["access_token": "a", "token_type": "DPoP", "id_token": "a.b.c"]))
        ),
        BadAnswer("UserInfo of another user", .invalidCredential) { $0.userInfoSubject = "mallory" },

        BadAnswer("another issuer in discovery", .webInternalError) { script in
            script.changeMetadata = { $0["issuer"] = "https://evil.example" }
        },
        BadAnswer("no token endpoint", .webInternalError) { $0.changeMetadata = { $0["token_endpoint"] = nil } },
        BadAnswer("a token endpoint without TLS", .webInternalError) { script in
            script.changeMetadata = { $0["token_endpoint"] = "http://issuer.example/token" }
        },
        BadAnswer("no PKCE", .operationNotAllowed) { script in
            script.changeMetadata = { $0["code_challenge_methods_supported"] = .array(["plain"]) }
        },
        answer("discovery not there", .webInternalError, discovery, .success(.json([:], status: 404))),
        answer("half a discovery document", .webInternalError, discovery, half),
        answer("a captive portal", .networkError, discovery, .success(.page())),
        answer("a proxy's page for the keys", .networkError, "/keys", .success(.page(502))),
        answer("a page of the server itself, which failed", .webInternalError, discovery, .success(.page(500))),
        answer("the server's page for what is not there", .webInternalError, discovery, .success(.page(404))),
        answer("a captive portal for the tokens", .networkError, "/token", .success(.page())),
        answer("half an answer", .webInternalError, "/token", half),
        answer(
            "a discovery document of 50 MB",
            .networkError,
            discovery,
            .success(HTTPResponse(status: 200, body: [UInt8](repeating: 0x20, count: 50 << 20)))
        ),
        answer(
            "a discovery document of 200 kB",
            .networkError,
            discovery,
            .success(HTTPResponse(status: 200, body: [UInt8](repeating: 0x20, count: 200_000)))
        ),
        answer("discovery not reached", .networkError, discovery, unreachable),
        answer("the token endpoint not reached", .networkError, "/token", unreachable),
        answer(
            "a connection cut while the code is exchanged",
            .outcomeUnknown,
            "/token",
            .failure(HTTPError(.cutOff, "The connection broke.", requestWasSent: true))
        ),
        answer("the keys not reached", .networkError, "/keys", unreachable),
        answer("too many requests", .tooManyRequests, "/token", .success(HTTPResponse(status: 429))),
        answer("a server that failed", .webInternalError, "/token", .success(.json(["oops": 1], status: 500))),
        answer("invalid_client", .invalidClientID, "/token", .success(.refusal("invalid_client"))),
        answer("unauthorized_client", .invalidClientID, "/token", .success(.refusal("unauthorized_client"))),
        answer("invalid_grant for the code", .invalidCredential, "/token", .success(.refusal("invalid_grant"))),
        answer(
            "a refusal that calls itself a success",
            .invalidCredential,
            "/token",
            .success(.json(["error": "invalid_grant"]))
        ),

        redirect(
            "a user who declines",
            .webContextCancelled,
            ["error": "access_denied", "iss": ScriptedIssuer.issuerURL]
        ),
        redirect("invalid_scope", .operationNotAllowed, ["error": "invalid_scope", "iss": ScriptedIssuer.issuerURL]),
        redirect(
            "unsupported_response_type",
            .operationNotAllowed,
            ["error": "unsupported_response_type", "iss": ScriptedIssuer.issuerURL]
        ),
        redirect("login_required", .requiresRecentLogin, ["error": "login_required", "iss": ScriptedIssuer.issuerURL]),
        redirect(
            "temporarily_unavailable",
            .webInternalError,
            ["error": "temporarily_unavailable", "iss": ScriptedIssuer.issuerURL]
        ),
        redirect(
            "a redirect of another issuer",
            .invalidCredential,
            ["code": "code-1", "iss": "https://evil.example"]
        ),
        redirect(
            "an error of another issuer",
            .invalidCredential,
            ["error": "access_denied", "iss": "https://evil.example"]
        ),
        redirect("a redirect that does not name its issuer", .invalidCredential, ["code": "code-1"]),
        redirect("a redirect without a code", .webInternalError, ["iss": ScriptedIssuer.issuerURL]),
    ]
}

struct BadAnswerTests {
    @Test(
        "A failed sign-in has its error code, stores nothing and keeps the earlier user",
        arguments: BadAnswer.all
    )
    func signIn(_ bad: BadAnswer) async throws {
        let world = IssuerFixture()
        let auth = try world.app(world.openID())
        try await auth.signIn(by: world.browser(world.openID()))
        let before = try world.storedBytes()
        world.issuer.change {
            $0.subject = "eve"
            $0.keys = [.init("second")]
            bad.script(&$0)
        }
        // Another process, which has cached neither the endpoints nor the keys.
        let other = try world.app(world.openID())
        await expectFailure(bad.code) { try await other.signIn(by: world.browser(world.openID())) }
        #expect(auth.currentUser?.uid == "ada")
        #expect(try world.storedBytes() == before)
    }

    @Test(
        "An optional endpoint that must not be used prevents no sign-in, and is not used",
        arguments: ["https://127.1/", "https://[::ffff:127.0.0.1]/", "http://issuer.example/", "file:///etc/passwd"]
    )
    func optionalEndpoints(_ address: String) async throws {
        let world = IssuerFixture()
        world.issuer.change { script in
            script.changeMetadata = { metadata in
                for name in ["userinfo_endpoint", "revocation_endpoint", "pushed_authorization_request_endpoint"] {
                    metadata[name] = .string(address)
                }
            }
        }
        let auth = try world.app(world.openID())
        try await auth.signIn(by: world.browser(world.openID()))
        try await auth.signOut(timeout: .seconds(5))
        #expect(
            Set(world.issuer.asked) == ["/.well-known/openid-configuration", "/keys", "/token authorization_code"]
        )
    }

    @Test("The errors of a sign-in contain none of its secrets", arguments: BadAnswer.all)
    func secrets(_ bad: BadAnswer) async throws {
        let world = IssuerFixture()
        world.issuer.change(bad.script)
        do {
            try await world.app(world.openID()).signIn(by: world.browser(world.openID()))
            Issue.record("It was to fail.")
        } catch let error as AuthError {
            let text = "\(error) \(error.message) \(error.remedy ?? "") \(String(reflecting: error))"
            for secret in ["code-1", "access-", "refresh-", "ada@example.com", "eyJ"] {
                #expect(!text.contains(secret))
            }
        }
    }
}

extension IssuerFixture {
    /// Returns the stored records of users as bytes.
    func storedBytes() throws -> [[UInt8]] {
        let key = RecordKey(
            scope: .app("com.example.Mail"),
            project: "default",
            instance: AuthApp.defaultName,
            kind: UserSlots.recordKind
        )
        guard case .whole(let record) = try store.read(key, by: .patient) else { return [] }
        return [Array(record.payload)]
    }
}
