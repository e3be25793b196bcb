import TestSupport

/// Random changes to tokens.
extension SeededRandom {
    /// The text after one or two changes, in UTF-8 again whatever they made of it.
    mutating func changing(_ text: String) -> String {
        let whole = Array(text.utf8)
        var bytes = whole
        let changes = Int.random(in: 1...2, using: &self)
        for _ in 0..<changes { change(&bytes) }
        // Some changes change nothing.
        while bytes == whole { change(&bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes += piece() }
        let place = Int.random(in: bytes.indices, using: &self)
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &self))
        switch Int.random(in: 0..<12, using: &self) {
        case 0: bytes[place] ^= 1 << Int.random(in: 0..<7, using: &self)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.insert(contentsOf: piece(), at: place)
        case 6: bytes.replaceSubrange(place..<end, with: piece())
        case 7: changeElement(&bytes) { Array($0 + $0) }
        case 8: changeElement(&bytes) { _ in [] }
        case 9: changeElement(&bytes) { Array($0.prefix { $0 != UInt8(ascii: ">") }) + Array("/>".utf8) }
        default: changeLetter(&bytes, from: place)
        }
    }

    /// Puts something else in place of a whole element.
    private mutating func changeElement(_ bytes: inout [UInt8], to other: (ArraySlice<UInt8>) -> [UInt8]) {
        let starts = bytes.indices.dropLast().filter {
            bytes[$0] == UInt8(ascii: "<") && bytes[$0 + 1] != UInt8(ascii: "/")
        }
        guard let start = starts.randomElement(using: &self) else { return }
        let name = bytes[(start + 1)...].prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: " ") }
        let end = Array("</".utf8) + name + [UInt8(ascii: ">")]
        guard let range = bytes[start...].firstRange(of: end) else { return }
        bytes.replaceSubrange(start..<range.upperBound, with: other(bytes[start..<range.upperBound]))
    }

    /// Changes one letter of a text to another, and no markup.
    private mutating func changeLetter(_ bytes: inout [UInt8], from place: Int) {
        guard let start = bytes[place...].firstIndex(of: UInt8(ascii: ">")), start + 1 < bytes.count,
            bytes[start + 1] != UInt8(ascii: "<")
        else { return }
        bytes[start + 1] = UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &self)
    }

    /// What breaks parsers.
    private mutating func piece() -> [UInt8] {
        let pieces = [
            "<", ">", "</", "/>", "&", "&amp;", "&#0;", "&#x10FFFF;", "&#xFFFFFFFF;", "&x;", "<![CDATA[", "]]>", "<!--",
            "-->",
            "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<?xml version='1.1' encoding='UTF-7'?>", "<signatureInfo>",
            "</signatureInfo>", "<signatureInfo/>", "\u{0}", "\u{FEFF}", "\u{2028}", " ", "\"", "'", "=",
            "xmlns:a='b' a:",
            "<simpleTokenMsoID>", "<ttl>-1</ttl>", "9223372036854775808", "2011/02/30 25:61:61 GMT +9999", "QUJD",
            String(repeating: "<x>", count: 40),
        ]
        return Array(pieces[Int.random(in: pieces.indices, using: &self)].utf8)
    }
}
