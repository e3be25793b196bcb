/// Strict `application/x-www-form-urlencoded`: all characters except unreserved ones are escaped, a space as `%20`.
package enum FormEncoding {
    package static func encode(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    package static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text that ``escape(_:)`` was given; nil if the input has characters other than unreserved ones and
    /// upper-case escapes, or is not UTF-8.
    package static func unescape(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                guard byte == UInt8(ascii: "%"), let high = rest.popFirst(), let low = rest.popFirst() else {
                    return nil
                }
                guard let first = digits.firstIndex(of: high), let second = digits.firstIndex(of: low) else {
                    return nil
                }
                bytes.append(UInt8(first << 4 | second))
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
