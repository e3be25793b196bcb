import Foundation
import SharedAuth
import TestSupport
import Testing

/// Tests the tool's output before and after a sign-in at an OpenID provider.
struct OpenIDTests {
    private let tool: Shell
    private let site: FirebaseSite
    private let issuer: SmallIssuer

    init() throws {
        tool = try Shell()
        site = try FirebaseSite(in: tool.keyring)
        issuer = try site.serveIssuer()
    }

    /// Adds members to the discovery response.
    private func discover(_ members: String) throws {
        try site.answer("openid-configuration", issuer.configuration.dropLast() + ", \(members)}")
    }

    /// Signs in by browser, and returns the output.
    private func signIn(_ options: String..., haveExpired: Bool = false) throws -> String {
        let terminal = try Terminal(
            BuiltProducts.executable("sharedauth"),
            ["sign-in", "--oidc", issuer.url, "--client-id", "desktop"] + options + tool.identity,
            in: tool.keyring
        )
        try terminal.await("Waiting for the sign-in")
        let page = try #require(
            terminal.shown.split(whereSeparator: \.isWhitespace).first { $0.contains("/authorize?") }
        )
        let items = URLComponents(string: String(page))?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        let tokens = try issuer.tokens(nonce: query["nonce"] ?? "", haveExpired: haveExpired)
        try site.answer(
            "exchange",
            tokens.replacing("\"token_type\"", with: "\"refresh_token\": \"r\", \"token_type\"")
        )
        let redirect = query["redirect_uri"] ?? ""
        try site.visit("\(redirect)?code=C&state=\(query["state"] ?? "")")
        let (status, shown) = try terminal.end()
        #expect(status == 0, "\(shown)")
        let address = try #require(URLComponents(string: redirect)?.path)
        #expect(
            shown.contains("register http://127.0.0.1\(options.contains("--redirect-path") ? "/callback" : address)")
        )
        return shown
    }

    @Test("A sign-in by browser names the redirect address to register")
    func redirectAddress() throws {
        #expect(try signIn().contains("for this client at the provider, or give --redirect-port"))
        _ = try signIn("--redirect-path", "/callback")
    }

    @Test(
        "Sign-out succeeds and says if a provider keeps the session of a public client",
        arguments: [
            (#""issuer_is":"plain""#, "does not end sessions for an app"),
            (
                #""revocation_endpoint":"URL/revoke","revocation_endpoint_auth_methods_supported":["client_secret_basic"]"#,
                "ends sessions only for a client with a secret"
            ),
        ]
    )
    func keptSession(_ members: String, _ line: String) throws {
        try discover(members.replacing("URL", with: issuer.url))
        _ = try signIn()
        let result = try tool("sign-out")
        #expect(result.status == 0)
        #expect(result.standardError == "sharedauth: \(issuer.url) \(line): this one ends there by itself.\n")
        #expect(try !site.requests.contains { $0.contains(" revoke ") })
        #expect(try tool("whoami").status == 67)
    }

    private func examine(_ options: String..., issuer url: String? = nil) throws -> ProcessResult {
        try tool.bare(["doctor", "--oidc", url ?? issuer.url, "--client-id", "desktop"] + options)
    }

    @Test("doctor --oidc checks a provider before the first sign-in, without a keyring")
    func doctor() throws {
        try discover(
            """
            "id_token_signing_alg_values_supported": ["ES256", "HS256"], "require_pushed_authorization_requests": true,
            "pushed_authorization_request_endpoint": "\(issuer.url)/par", "revocation_endpoint": "\(issuer.url)/revoke",
            "authorization_response_iss_parameter_supported": true
            """
        )
        let good = try examine("--redirect-port", "8765", "--json")
        #expect(good.status == 0, "\(good.standardOutput)\(good.standardError)")
        guard case .array(let findings) = try good.json else { return #expect(Bool(false)) }
        let lines = findings.map { "\($0["verdict"]?.string ?? "") \($0["check"]?.string ?? "")" }
        #expect(
            lines == [
                "good https", "good discovery", "good endpoints", "good algorithms", "good keys", "good pkce",
                "good par", "good revocation", "good redirect",
            ]
        )
        #expect(findings[3]["message"]?.string == "ID tokens can be checked: ES256.")
        #expect(findings[4]["message"]?.string == "The provider publishes a key for ES256.")
        #expect(
            findings.last?["message"]?.string
                == "Register the redirect address http://127.0.0.1:8765/callback for desktop."
        )
    }

    @Test("doctor --oidc exits with the status of the first bad line, and says what to do")
    func badProviders() throws {
        try discover(
            #""id_token_signing_alg_values_supported": ["HS256"]"#
        )
        let weak = try examine()
        #expect(weak.status == 69)
        #expect(weak.standardOutput.contains("bad      algorithms  ID tokens are signed with HS256 alone"))
        let slash = try examine(issuer: "\(issuer.url)/")
        #expect(slash.status == 69)
        #expect(slash.standardOutput.contains("names another issuer, \(issuer.url), so it cannot be trusted"))
        let open = try examine(issuer: "http://id.example.com")
        #expect(open.status == 77)
        #expect(open.standardOutput.hasPrefix("bad      https"))
        try site.stop()
        let gone = try examine()
        #expect(gone.status == 69)
        #expect(gone.standardOutput.hasPrefix("bad      discovery"))
        #expect(try examine("--device").status == 64)
        #expect(try tool.bare(["doctor", "--redirect-port", "8765"]).status == 64)
    }

    @Test(
        "doctor --oidc reads the keys, and says what the administrator changes",
        arguments: [
            (
                #"{"keys": []}"#, 69,
                [
                    "bad      keys", "publishes no key that checks ID tokens", "shared secret (HS256)",
                    "to RS256 or ES256.",
                ]
            ),
            (
                #"{"keys": [{"kty": "RSA", "kid": "old", "n": ",,AQAB", "e": "AQAB"}]}"#, 69,
                [
                    #"warning  keys        The key "old" of the provider's key set cannot be read: its n is"#,
                    "bad      keys",
                ]
            ),
            (
                #"{"keys": [KEY, {"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}"#, 0,
                [
                    "warning  keys        Key number 2 of the provider's key set is too short with 17 bits.",
                    "good     keys",
                ]
            ),
            (
                #"{"keys": [KEY, {"kty": "RSA", "use": "enc"}, {"kty": "OKP", "crv": "Ed448", "x": "AA"}]}"#, 0,
                ["good     keys        The provider publishes a key for ES256."]
            ),
            ("[]", 69, ["bad      keys        The keys that check ID tokens (jwks_uri) cannot be read."]),
        ]
    )
    func keys(_ document: String, _ status: Int32, _ lines: [String]) throws {
        let key = issuer.keys.dropFirst(#"{"keys": ["#.count).dropLast("]}".count)
        try site.answer("keys", document.replacing("KEY", with: key))
        let result = try examine()
        #expect(result.status == status, "\(result.standardOutput)")
        for line in lines { #expect(result.standardOutput.contains(line), "\(result.standardOutput)") }
    }

    @Test("doctor --oidc names algorithms of ID tokens for which there is no key")
    func otherKeys() throws {
        try discover(#""id_token_signing_alg_values_supported": ["RS256", "Ed25519"]"#)
        let result = try examine()
        #expect(result.status == 69)
        #expect(result.standardOutput.contains("are for ES256, and ID tokens are signed with RS256, Ed25519."))
    }

    @Test("The error for an issuer URL that differs by a slash names the one to configure")
    func slash() throws {
        let result = try tool("sign-in", "--oidc", "\(issuer.url)/", "--client-id", "desktop")
        #expect(result.standardError.contains("configure the issuer URL as \(issuer.url)."))
    }

    @Test("A session that cannot be renewed is told by three verbs, for one request")
    func deadSession() throws {
        _ = try signIn(haveExpired: true)
        try site.answer("exchange", #"{"error": "a_new_word"}"#)
        let asked = try site.requests.count
        for options in [["token"], ["token", "--force-refresh"], ["token", "--access", "--scope", "mail"]] {
            let result = try tool.bare(options + tool.identity)
            #expect(result.status == 77 && result.hasOneLineOfComplaint, "\(result.standardError)")
            #expect(result.standardError.contains("a_new_word"))
            #expect(result.standardError.contains("Sign in again."))
            #expect(!result.standardError.contains("ry again"))
        }
        #expect(try site.requests.dropFirst(asked).count { $0.contains("exchange") } == 1)
        let status = try tool("status")
        #expect(status.status == 0)
        #expect(status.standardOutput.contains("state         signed-in"))
        #expect(status.standardOutput.contains("session       The session of ada has expired"))
        #expect(try tool("status", "--json").json["sessionError"]?.string?.contains("a_new_word") == true)
        #expect(try tool("doctor").standardOutput.contains("bad      session"))
        #expect(try tool("whoami").standardOutput == "ada\n")
    }

    @Test("The error of a refused client names the variable for a stored session's secret")
    func refusedClient() throws {
        _ = try signIn()
        try site.answer("exchange", #"{"error": "invalid_client"}"#)
        let result = try tool("token", "--force-refresh")
        #expect(result.status == 77)
        #expect(result.standardError.contains("set SHAREDAUTH_CLIENT_SECRET to it"))
        #expect(result.hasOneLineOfComplaint)
    }
}
