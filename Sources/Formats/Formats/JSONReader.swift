/// Reads JSON (RFC 8259) from untrusted sources, in time linear in its length: each value is read once, and the nesting
/// of arrays and objects is limited.
///
/// An object with a duplicate name is rejected, because readers differ in which value counts; unless the caller must not
/// lose the rest of it, and takes the last value, as most readers do.
package struct JSONReader {
    private let bytes: [UInt8]
    private let takesLastOfDuplicates: Bool
    private var place = 0
    private var depth = 0

    private init(_ bytes: [UInt8], takesLastOfDuplicates: Bool) {
        (self.bytes, self.takesLastOfDuplicates) = (bytes, takesLastOfDuplicates)
    }

    /// Returns the value that the bytes encode; nil if they are not JSON, or contain more than one value.
    package static func value(_ bytes: some Sequence<UInt8>, takingLastOfDuplicates: Bool = false) -> JSONValue? {
        var reader = JSONReader(Array(bytes), takesLastOfDuplicates: takingLastOfDuplicates)
        reader.skipSpace()
        guard let value = reader.value() else { return nil }
        reader.skipSpace()
        return reader.place == reader.bytes.count ? value : nil
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    /// Skips a byte if it is next, and the spaces before and after it. Returns whether it was there.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: byte) else { return false }
        place += 1
        skipSpace()
        return true
    }

    private mutating func value() -> JSONValue? {
        switch next {
        case UInt8(ascii: "{"): nested { $0.object() }
        case UInt8(ascii: "["): nested { $0.array() }
        case UInt8(ascii: "\""): string().map(JSONValue.string)
        case UInt8(ascii: "t"): word("true", .bool(true))
        case UInt8(ascii: "f"): word("false", .bool(false))
        case UInt8(ascii: "n"): word("null", .null)
        default: number()
        }
    }

    private mutating func nested(_ read: (inout JSONReader) -> JSONValue?) -> JSONValue? {
        guard depth < UntrustedJSON.greatestDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        return read(&self)
    }

    private mutating func object() -> JSONValue? {
        var members: [String: JSONValue] = [:]
        guard take("{") else { return nil }
        if take("}") { return .object(members) }
        repeat {
            guard let name = string(), take(":"), let value = value() else { return nil }
            let former = members.updateValue(value, forKey: name)
            guard former == nil || takesLastOfDuplicates else { return nil }
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array() -> JSONValue? {
        var values: [JSONValue] = []
        guard take("[") else { return nil }
        if take("]") { return .array(values) }
        repeat {
            guard let value = value() else { return nil }
            values.append(value)
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func word(_ word: String, _ value: JSONValue) -> JSONValue? {
        guard bytes[place...].starts(with: word.utf8) else { return nil }
        place += word.utf8.count
        return value
    }
}

extension JSONReader {
    private mutating func number() -> JSONValue? {
        let start = place
        if next == UInt8(ascii: "-") { place += 1 }
        // After a leading zero, only a fraction or an exponent may follow.
        guard next == UInt8(ascii: "0") ? digit() : digits() else { return nil }
        if next == UInt8(ascii: ".") {
            place += 1
            guard digits() else { return nil }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            place += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
            guard digits() else { return nil }
        }
        guard let number = Double(String(decoding: bytes[start..<place], as: UTF8.self)), number.isFinite else {
            return nil
        }
        return .number(number)
    }

    private mutating func digit() -> Bool {
        guard let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return false }
        place += 1
        return true
    }

    private mutating func digits() -> Bool {
        guard digit() else { return false }
        while digit() {}
        return true
    }
}

extension JSONReader {
    private mutating func string() -> String? {
        guard next == UInt8(ascii: "\"") else { return nil }
        place += 1
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    /// Reads the rest of an escape after its backslash.
    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicodeEscape()
        default: return nil
        }
    }

    /// Reads one UTF-16 escape, or a surrogate pair of two. Rejects half a pair.
    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let first = hexadecimal() else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard bytes[place...].starts(with: #"\u"#.utf8) else { return nil }
        place += 2
        guard let second = hexadecimal(), UTF16.isTrailSurrogate(second) else { return nil }
        return UTF16.decode(.init([first, second]))
    }

    private mutating func hexadecimal() -> UInt16? {
        guard place + 4 <= bytes.count else { return nil }
        var number: UInt16 = 0
        for byte in bytes[place..<place + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            number = number << 4 | UInt16(digit)
        }
        place += 4
        return number
    }
}
