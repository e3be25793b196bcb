import Foundation
import PassAuth
import Testing

/// What keeps a media token from being used by another programmer, or a second time.
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

    @Test("F39: a token of another programmer, signed by the same key, is refused, and nothing of it is handed on")
    func otherProgrammer() throws {
        for other in ["R2", "r"] {
            let found = try verifier().verify(token(other), resource: "channel")
            #expect(found.status == .invalidSignature && !found.isValid && found.token == nil)
            #expect(found.reason?.contains("another programmer") == true)
        }
        #expect(try verifier().verify(token(), resource: "channel").isValid)
    }

    @Test("F39: only the text that the server wrote is taken, not one of its other spellings in base64")
    func spellings() throws {
        // One whose base64 ends with padding has unused bits in its last digit.
        let padded = try ["u", "us", "use"].map { try token(session: $0) }.first { $0.hasSuffix("=") }
        let text = try #require(padded)
        #expect(verifier().verify(text, resource: "channel").isValid)
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let body = text.prefix { $0 != "=" }
        let last = try #require(body.last.flatMap(digits.firstIndex))
        let spellings = [
            text + "\n", text + " ", " " + text, String(text.prefix(64)) + "\r\n" + text.dropFirst(64),
            body.dropLast() + String(digits[last + 1]) + text.dropFirst(body.count),
        ]
        for spelling in spellings {
            // The same token, which a register of texts would not know again.
            #expect(try MediaToken(base64: spelling).id == MediaToken(base64: text).id)
            let found = verifier().verify(spelling, resource: "channel")
            #expect(found.status == .invalidFormat && found.token == nil && found.reason != nil)
        }
    }

    @Test("F39: the id for a register of used tokens is the signed part's, whatever stands around it")
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
        "F39: without a leeway that was asked for, a token ends with its lifetime",
        arguments: [(299.0, true), (300, false)]
    )
    func leeway(seconds: Double, isValid: Bool) throws {
        #expect(try verifier(after: seconds).verify(token()).isValid == isValid)
        #expect(try verifier(after: -1).verify(token()).status == .expired)
    }
}
