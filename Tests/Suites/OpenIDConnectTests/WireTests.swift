import Foundation
import SharedAuth
import SharedAuthHTTP
import Testing

@testable import OpenIDConnect

struct WireTests {
    @Test(
        "An issuer consists of issuer URL and client ID, and both can be read from it",
        arguments: [
            "desktop", "1234.apps.googleusercontent.com", "a b#c/d?e=ü%",
        ]
    )
    func issuer(_ clientID: String) {
        let client = OpenIDClient(issuerURL: "https://issuer.example/realm/", clientID: clientID)
        let read = OpenIDClient(issuer: client.issuer)
        #expect(read?.issuerURL == client.issuerURL)
        #expect(read?.clientID == clientID)
        #expect(client.issuer.hasPrefix("https://issuer.example/realm/#"))
    }

    @Test("An access token that lacks a scope is not found under those of the request")
    func grantedScopes() throws {
        func requested(_ granted: String) throws -> Set<String>? {
            let object = JSONObject(members: ["access_token": .string("a"), "scope": .string(granted)])
            let answer = try #require(TokenAnswer(object))
            return answer.access(asked: ["read", "write"], now: Date(), otherwise: nil)?.requestedScopes
        }
        for granted in ["read", "read openid", "openid profile email", "write email"] {
            #expect(try requested(granted) == nil, "\(granted)")
        }
        for granted in ["https://api.example/read https://api.example/write", "all", "read write openid"] {
            #expect(try requested(granted) == ["read", "write"], "\(granted)")
        }
    }

    @Test(
        "Issuers of other identity providers are not OpenID clients",
        arguments: [
            "app", "sharedauth-local:default", "https://issuer.example", "https://issuer.example#",
            "http://issuer.example#a",
            "https://issuer.example?x#a", "#a", "https://issuer.example#%4",
        ]
    )
    func otherIssuer(_ issuer: String) {
        #expect(OpenIDClient(issuer: issuer) == nil)
    }

    @Test(
        "Discovery is found at the issuer, with or without a trailing slash",
        arguments: [
            ("https://a.example", "https://a.example/.well-known/openid-configuration"),
            ("https://a.example/", "https://a.example/.well-known/openid-configuration"),
            ("https://a.example/b/", "https://a.example/b/.well-known/openid-configuration"),
        ]
    )
    func discovery(_ issuerURL: String, _ address: String) {
        #expect(ServerMetadata.address(of: issuerURL)?.text == address)
    }

    @Test(
        "Only https and this machine count as protected",
        arguments: [
            ("https://a.example", true), ("http://a.example", false), ("http://127.0.0.1:8080/x", true),
            ("http://localhost", true), ("http://127.0.0.1.evil.example", false),
            ("http://localhost.evil.example", false),
        ]
    )
    func protection(_ text: String, _ isProtected: Bool) {
        #expect(WebAddress(text)?.isProtected == isProtected)
    }

    @Test(
        "An address keeps its own parameters, and has no fragment and no user",
        arguments: [
            ("https://a.example/x", "https://a.example/x?a=%2B%20%C3%BC"),
            ("https://a.example/x?y=1", "https://a.example/x?y=1&a=%2B%20%C3%BC"),
        ]
    )
    func parameters(_ text: String, _ expected: String) {
        #expect(WebAddress(text)?.adding([("a", "+ ü")])?.absoluteString == expected)
        #expect(WebAddress("\(text)#b") == nil)
        #expect(WebAddress("https://me:secret@a.example") == nil)
    }

    @Test(
        "A photo must be at https or this machine",
        arguments: [
            ("https://a.example/p.png", true), ("http://127.0.0.1:9099/p.png", true), ("http://a.example/p.png", false),
            ("file:///etc/passwd", false), ("smb://evil.example/x", false), ("javascript:alert(1)", false),
            ("p.png", false),
        ]
    )
    func photo(_ address: String, _ isTaken: Bool) {
        let claims = UserClaims(members: JSONObject(members: ["sub": "u", "picture": .string(address)]))
        let profile = claims.profile(signedInAt: "a.example")
        #expect((profile?.photoURL?.absoluteString == address) == isTaken)
        #expect((profile?.photoURL == nil) != isTaken && profile?.providerData.first?.photoURL == profile?.photoURL)
    }

    @Test(
        "Names and addresses of this machine are recognized in every notation",
        arguments: [
            ("https://localhost", true), ("https://LOCALHOST.", true), ("https://a.localhost", true),
            ("https://127.8.9.1", true), ("https://127.1", true), ("https://2130706433", true),
            ("https://0x7f.1", true),
            ("https://0.0.0.0", true), ("https://[::1]", true), ("https://[::]", true),
            ("https://[::ffff:7f00:1]", true),
            ("https://a.example", false), ("https://128.0.0.1", false), ("https://[2001:db8::1]", false),
            ("https://localhost.example", false), ("https://127.0.0.1.example", false),
        ]
    )
    func thisMachine(_ address: String, _ isThisMachine: Bool) throws {
        let address = try #require(WebAddress(address))
        #expect(address.isAllowed(byServerOnThisMachine: false) != isThisMachine)
    }

    @Test("A server's error that is not a plain word is not quoted")
    func quoted() {
        #expect(ServerRefusal("server_error").quoted == "server_error")
        #expect(ServerRefusal("AADSTS-1.x", detail: "consent_required").quoted == "AADSTS-1.x, consent_required")
        for word in ["", "Ada <ada@example.com>", String(repeating: "a", count: 65), "a\u{1B}[2J", "+44 1", "441"] {
            #expect(!ServerRefusal(word).error(of: .refresh).message.contains(word) || word.isEmpty)
        }
    }

    @Test("PKCE follows RFC 7636")
    func challenge() {
        let secrets = SignInSecrets { Array(repeating: 7, count: $0) }
        #expect(secrets.verifier.utf8.count == 43)
        // The SHA-256 of the verifier, computed with Python's hashlib.
        #expect(secrets.challenge == "3Ev4DHdHPRMPoN6GukAY_pi7IUAF5qWJHRK6kURvnoE")
    }

    @Test("Types that hold a secret do not print it")
    func printing() {
        let client = OpenIDClient(issuerURL: "https://a.example", clientID: "c", clientSecret: "hush")
        var dumped = ""
        dump(client, to: &dumped)
        dump(OpenIDConnect(client), to: &dumped)
        #expect(!"\(client) \(String(reflecting: client)) \(dumped)".contains("hush"))
    }
}
