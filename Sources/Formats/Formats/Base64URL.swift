internal import FoundationEssentials

/// Base64 with the URL-safe alphabet of RFC 4648 §5, without padding.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = Array(Data(bytes).base64EncodedData())
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        for place in text.indices {
            switch text[place] {
            case UInt8(ascii: "+"): text[place] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[place] = UInt8(ascii: "_")
            default: break
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes whose encoding a text is; nil if it is that of none. Each sequence of bytes has one encoding, so
    /// that nobody can change a text and keep its meaning (RFC 4648 §3.5).
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { decode(Array(text)) }

    /// Returns the same for an array. Every start of a program reads a record by it, and a generic function looks up
    /// conformances at its first call.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var (rest, restSize): (UInt32, UInt32) = (0, 0)
        for character in text {
            guard let sextet = sextet(of: character) else { return nil }
            rest = rest << 6 | UInt32(sextet)
            restSize += 6
            guard restSize >= 8 else { continue }
            restSize -= 8
            bytes.append(UInt8(truncatingIfNeeded: rest >> restSize))
            rest &= (1 << restSize) - 1
        }
        return rest == 0 && restSize < 6 ? bytes : nil
    }

    private static func sextet(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
