/// Reads `application/x-www-form-urlencoded`, which some servers answer with in place of JSON.
package enum FormReader {
    /// The greatest number of fields that are read.
    private static let mostFields = 256

    /// Returns the fields; nil if the bytes are no form: a field without `=`, a name twice, an invalid escape, or text
    /// that is not UTF-8.
    package static func fields(_ bytes: some Sequence<UInt8>) -> [String: String]? {
        var fields: [String: String] = [:]
        let parts = Array(bytes).split(separator: UInt8(ascii: "&"), maxSplits: mostFields)
        guard !parts.isEmpty, parts.count <= mostFields else { return nil }
        for part in parts {
            guard let mark = part.firstIndex(of: UInt8(ascii: "=")), let name = text(part[..<mark]), !name.isEmpty,
                let value = text(part[(mark + 1)...]), fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }

    private static func text(_ escaped: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = escaped
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case 0x21...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
