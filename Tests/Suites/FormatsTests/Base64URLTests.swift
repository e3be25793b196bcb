import Formats
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    @Test("Bytes of any length survive encoding and decoding")
    func roundTrip() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
    }

    @Test("The examples of RFC 4648 are decoded, without their padding")
    func examples() {
        for (text, bytes) in [("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob")] {
            #expect(Base64URL.decode(text.utf8) == Array(bytes.utf8))
        }
        #expect(Base64URL.decode("-_-_".utf8) == [0xFB, 0xFF, 0xBF])
    }

    @Test(
        "A text that is not the encoding of any bytes is refused",
        arguments: [
            "A", "AAAAA", "Zh", "Zm9", "Zg==", "Zg=", "Zm+v", "Zm/v", "Zm9v\n", " Zg", "Zm,v", "Zm\u{0}v", "Zmév",
        ]
    )
    func refused(_ text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}
