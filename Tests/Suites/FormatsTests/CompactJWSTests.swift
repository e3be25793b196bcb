import Formats
import Testing

@Suite("The compact form of a signature")
struct CompactJWSTests {
    private func parsed(_ header: String, _ payload: String = "{}") -> CompactJWS? {
        CompactJWS("\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload.utf8)).AAAA")
    }

    @Test("The parts of a token are read")
    func parts() throws {
        let token = try #require(parsed(#"{"alg":"ES256","kid":"k","typ":"JWT"}"#, #"{"sub":"ada"}"#))
        #expect(token.algorithmName == "ES256" && token.keyID == "k" && token.type == "JWT")
        #expect(token.claims == ["sub": .string("ada")])
        #expect(token.signature == [0, 0, 0])
        #expect(String(decoding: token.signedBytes, as: UTF8.self).split(separator: ".").count == 2)
    }

    @Test("Labels of another type are as good as none")
    func otherTypes() throws {
        let token = try #require(parsed(#"{"alg":7,"kid":["k"],"typ":null}"#))
        #expect(token.algorithmName == nil && token.keyID == nil && token.type == nil)
    }

    @Test(
        "A text without three parts in Base64URL is refused",
        arguments: [
            "", ".", "..", "e30", "e30.e30", "e30.e30.AAAA.AAAA", "e30.e30.AAAA.", ".e30.AAAA", "e30.e30.A",
            "e31.e30.AAAA", "e30.e31.AAAA", "e30.e30.AAB", "e30=.e30.AAAA", "e30.e30.AA==", "e30.e30.A+AA",
            "e30.e30.AAAA\n", " e30.e30.AAAA", "é.e30.AAAA", "W10.e30.AAAA", "MQ.e30.AAAA", "e30 .e30.AAAA",
        ]
    )
    func refused(_ text: String) {
        #expect(CompactJWS(text) == nil)
    }

    @Test("A header or claims with a member twice are refused")
    func duplicates() throws {
        #expect(parsed(#"{"alg":"none","alg":"ES256"}"#) == nil)
        #expect(parsed(#"{"a":{"alg":1,"alg":2}}"#) == nil)
        let claims = try #require(parsed("{}", #"{"sub":"ada","sub":"eve"}"#))
        #expect(claims.claims == nil)
    }

    @Test("A header or claims nested more than 32 levels deep are refused")
    func depth() throws {
        func nested(_ levels: Int) -> String { #"{"a":"# + String(repeating: "[", count: levels - 1) }
        for levels in [33, 512, 513, 2_000, 50_000] {
            for end in ["", "\r", String(repeating: "]", count: levels - 1) + "}"] {
                #expect(parsed(nested(levels) + end) == nil)
                #expect(try #require(parsed("{}", nested(levels) + end)).claims == nil)
            }
        }
        #expect(parsed(nested(32) + String(repeating: "]", count: 31) + "}") != nil)
    }

    @Test("A text of more than 256 KiB is refused, and one of that length is read")
    func length() {
        let frame = "e30..AAAA".utf8.count
        for (count, isRead) in [(CompactJWS.greatestLength, true), (CompactJWS.greatestLength + 4, false)] {
            // The payload is the greatest multiple of four characters that fits.
            let payload = String(repeating: "AAAA", count: (count - frame) / 4)
            let text = "e30.\(payload).AAAA" + (isRead ? "" : "AAAA")
            #expect((CompactJWS(text) != nil) == (text.utf8.count <= CompactJWS.greatestLength))
            #expect((CompactJWS(text) != nil) == isRead)
        }
        #expect(CompactJWS(String(repeating: "é", count: 1 << 20)) == nil)
        #expect(CompactJWS(String(repeating: ".", count: 1 << 20)) == nil)
    }
}
