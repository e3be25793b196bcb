import Foundation
import FoundationEssentials
import PassAuth
import Testing

struct MediaTokenVerifierTests {
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private func token(key: TokenSigningKey? = Keys.first, resource: String = "channel") throws -> String {
        try MediaToken(
            sessionGUID: "the-user",
            requestor: "R",
            resource: resource,
            mvpd: "Cable",
            proxyMvpd: "Proxy",
            issued: Self.noon,
            lifetime: .seconds(300),
            signedWith: key
        ).serialized
    }

    private func verifier(after seconds: Double, leeway: Duration = .seconds(30)) -> MediaTokenVerifier {
        MediaTokenVerifier(publicKey: Keys.first.publicKey, requestor: "R", leeway: leeway) {
            Self.noon.addingTimeInterval(seconds)
        }
    }

    @Test("VALID_TOKEN for an authentic, current token of the resource, with its contents")
    func valid() throws {
        let found = try verifier(after: 1).verify(token(), resource: "channel")
        #expect(found.status == .valid && found.isValid && found.reason == nil)
        let token = try #require(found.token)
        #expect(token.resource == "channel" && token.issued == Self.noon && token.lifetime == .seconds(300))
        #expect(token.sessionGUID == "the-user" && token.mvpd == "Cable" && token.proxyMvpd == "Proxy")
    }

    @Test("Without a resource, only authenticity and time are checked")
    func noResource() throws {
        #expect(try verifier(after: 1).verify(token()).status == .valid)
        #expect(try verifier(after: 331).verify(token()).status == .expired)
        #expect(try verifier(after: 1).verify(token(key: Keys.second)).status == .invalidSignature)
    }

    @Test("INVALID_TOKEN_FORMAT for anything that is not a media token")
    func invalidFormat() throws {
        let expiry = Self.noon
        let other = try AuthorizationToken(
            requestor: "R",
            resource: "channel",
            mvpd: "Cable",
            expires: expiry,
            fingerprint: "ab12",
            signedWith: Keys.first
        )
        let texts = ["", "?", "QQ==", other.serialized, Data(other.serialized.utf8).base64EncodedString()]
        for text in texts + [
            String(try token().dropLast(8)), Data(Fragments.media(ttl: "-1").utf8).base64EncodedString(),
        ] {
            let found = verifier(after: 1).verify(text, resource: "channel")
            #expect(found.status == .invalidFormat && found.token == nil && found.reason != nil)
        }
    }

    @Test("INVALID_SIGNATURE for an unsigned, changed or foreign token")
    func invalidSignature() throws {
        let fragment = try #require(String(data: Data(base64Encoded: token()) ?? Data(), encoding: .utf8))
        let changes = [("channel", "channels"), (">300000<", ">3000000<"), ("</mvpdId>", "</mvpdId> ")]
        let changed = changes.map { Data(fragment.replacing($0, with: $1).utf8).base64EncodedString() }
        for text in changed + [try token(key: nil), try token(key: Keys.second)] {
            let found = verifier(after: 1).verify(text)
            #expect(found.status == .invalidSignature && found.token == nil && found.reason != nil)
        }
    }

    @Test("A signature without its closing tag is the same signature")
    func lostTag() throws {
        let fragment = try #require(String(data: Data(base64Encoded: token()) ?? Data(), encoding: .utf8))
        let lost = fragment.replacing("</signatureInfo>", with: "<signatureInfo>\n")
        #expect(verifier(after: 1).verify(Data(lost.utf8).base64EncodedString(), resource: "channel").isValid)
    }

    @Test(
        "TOKEN_EXPIRED after the lifetime and the leeway",
        arguments: [
            (299.0, 0, MediaTokenStatus.valid), (300, 0, .expired), (329, 30, .valid), (330, 30, .expired),
            (1e9, 30, .expired),
            (299, -10, .valid), (300, -10, .expired),
        ]
    )
    func expired(seconds: Double, leeway: Int, status: MediaTokenStatus) throws {
        let verifier = verifier(after: seconds, leeway: .seconds(leeway))
        #expect(try verifier.verify(token(), resource: "channel").status == status)
    }

    @Test(
        "TOKEN_EXPIRED for a token too far in the future",
        arguments: [
            (-30.0, 30, MediaTokenStatus.valid), (-31, 30, .expired), (-1, 0, .expired), (0, 0, .valid),
        ]
    )
    func future(seconds: Double, leeway: Int, status: MediaTokenStatus) throws {
        let verifier = verifier(after: seconds, leeway: .seconds(leeway))
        #expect(try verifier.verify(token(), resource: "channel").status == status)
    }

    @Test(
        "INVALID_RESOURCE_ID for another resource, even one that looks the same",
        arguments: [
            "Channel", "channel ", "", "chann", "channels",
        ]
    )
    func invalidResource(resource: String) throws {
        let found = try verifier(after: 1).verify(token(), resource: resource)
        #expect(found.status == .invalidResource && found.reason != nil)
    }

    @Test("Differently composed letters are a different resource")
    func composition() throws {
        let text = try token(resource: "caf\u{E9}")
        #expect(verifier(after: 1).verify(text, resource: "caf\u{E9}").status == .valid)
        #expect(verifier(after: 1).verify(text, resource: "cafe\u{301}").status == .invalidResource)
    }

    @Test("The six verdicts have the names of Adobe's verifier")
    func names() {
        #expect(
            Set(MediaTokenStatus.allCases.map(\.rawValue)) == [
                "VALID_TOKEN", "INVALID_TOKEN_FORMAT", "INVALID_SIGNATURE", "TOKEN_EXPIRED", "INVALID_RESOURCE_ID",
                "ERROR_UNKNOWN",
            ]
        )
    }

    @Test("A reason reveals nothing about the token's contents")
    func secrecy() throws {
        for found in [
            try verifier(after: 999).verify(token()), try verifier(after: 1).verify(token(), resource: "x"),
            try verifier(after: 1).verify(token(key: nil)), try verifier(after: -99).verify(token()),
        ] {
            let reason = try #require(found.reason)
            for word in ["the-user", "channel", "Cable"] { #expect(!reason.contains(word)) }
        }
    }
}

/// Checks that keep a media token from being used by another programmer or a second time.
struct MediaTokenSpellingTests {
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private func token(_ requestor: String = "R", session: String = "the-user") throws -> String {
        try MediaToken(
            sessionGUID: session,
            requestor: requestor,
            resource: "channel",
            mvpd: "Cable",
            issued: Self.noon,
            lifetime: .seconds(300),
            signedWith: Keys.first
        ).serialized
    }

    private func verifier(after seconds: Double = 1) -> MediaTokenVerifier {
        MediaTokenVerifier(publicKey: Keys.first.publicKey, requestor: "R") { Self.noon + seconds }
    }

    @Test("Another programmer's token with the same key is refused, without its contents")
    func otherProgrammer() throws {
        for other in ["R2", "r"] {
            let found = try verifier().verify(token(other), resource: "channel")
            #expect(found.status == .invalidSignature && !found.isValid && found.token == nil)
            #expect(found.reason?.contains("another programmer") == true)
        }
        #expect(try verifier().verify(token(), resource: "channel").isValid)
    }

    @Test("Only the server's exact base64 encoding is accepted")
    func spellings() throws {
        // If the base64 ends with padding, its last digit has unused bits.
        let padded = try ["u", "us", "use"].map { try token(session: $0) }.first { $0.hasSuffix("=") }
        let text = try #require(padded)
        #expect(verifier().verify(text, resource: "channel").isValid)
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let body = text.prefix { $0 != "=" }
        let last = try #require(body.last.flatMap(digits.firstIndex))
        let spellings: [String] = [
            "\(text)\n", "\(text) ", " \(text)", "\(text.prefix(64))\r\n\(text.dropFirst(64))",
            "\(body.dropLast())\(digits[last + 1])\(text.dropFirst(body.count))",
        ]
        for spelling in spellings {
            // The same token, which a list of used base64 texts would not recognize.
            #expect(try MediaToken(base64: spelling).id == MediaToken(base64: text).id)
            let found = verifier().verify(spelling, resource: "channel")
            #expect(found.status == .invalidFormat && found.token == nil && found.reason != nil)
        }
    }

    @Test("The ID for used tokens covers only the signed part")
    func id() throws {
        let text = try token()
        let fragment = String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self)
        let id = try #require(verifier().verify(text).token).id
        for other in [
            fragment + " ", "\n" + fragment, fragment.replacing("</signatureInfo>", with: "<signatureInfo>\n"),
        ] {
            let found = verifier().verify(Data(other.utf8).base64EncodedString())
            #expect(found.isValid && found.token?.id == id)
        }
        #expect(try verifier().verify(token(session: "another")).token?.id != id)
        #expect(id.count == 64 && !id.contains { !"0123456789abcdef".contains($0) })
    }

    @Test(
        "Without a configured leeway, a token expires with its lifetime",
        arguments: [(299.0, true), (300, false)]
    )
    func leeway(seconds: Double, isValid: Bool) throws {
        #expect(try verifier(after: seconds).verify(token()).isValid == isValid)
        #expect(try verifier(after: -1).verify(token()).status == .expired)
    }
}
