import TestSupport

/// Random changes of bytes.
extension SeededRandom {
    /// Returns the bytes after one to four changes of a random kind.
    mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) { change(&changed) }
        return changed
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: .min ... .max, using: &self)) }
        let place = Int.random(in: bytes.indices, using: &self)
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &self))
        switch Int.random(in: 0..<8, using: &self) {
        case 0: bytes[place] ^= 1 << Int.random(in: 0..<8, using: &self)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.swapAt(place, Int.random(in: bytes.indices, using: &self))
        case 6: bytes.insert(contentsOf: fragment().utf8, at: place)
        default: bytes.replaceSubrange(place..<end, with: fragment().utf8)
        }
    }

    /// Returns text that often breaks parsers.
    private mutating func fragment() -> String {
        let fragments = [
            "null", "[]", "{}", "\"", "\\u0000", "\\ud800", "-1", "1e999", "9223372036854775808", "0.1", "true", ",",
            ":",
            String(repeating: "[", count: 600), "\"version\":2,", "\"uid\":\"\",", "SharedAuth2.", "=", "+/",
            "\u{0}", "\u{FEFF}",
        ]
        return fragments[Int.random(in: fragments.indices, using: &self)]
    }
}
