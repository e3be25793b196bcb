internal import FoundationEssentials

/// Decodes JSON (RFC 8259) that another program may have written. All JSON is decoded here or by `JSONReader`.
///
/// Foundation's decoder alone traps on some input that exceeds its own limit of 512 levels (Swift 6.3).
package enum UntrustedJSON {
    /// The maximum nesting of arrays and objects.
    package static let greatestDepth = 32

    /// Returns the value that the bytes encode.
    ///
    /// - Throws: `DecodingError` if they encode no such value, are not UTF-8, or are nested deeper than
    ///   ``greatestDepth``.
    package static func decode<Value: Decodable>(
        _: Value.Type,
        from bytes: some Sequence<UInt8>
    ) throws -> Value {
        let bytes = Array(bytes)
        guard isShallow(bytes) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "It is nested too deeply, or not UTF-8.")
            )
        }
        return try JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    /// Returns whether arrays and objects are nested at most ``greatestDepth`` deep. Does not check that the bytes are
    /// JSON.
    private static func isShallow(_ bytes: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            switch byte {
            // The decoder would read UTF-16 or UTF-32, in which these bytes have another meaning.
            case 0, 0xFE, 0xFF: return false
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if depth > greatestDepth { return false }
        }
        return true
    }
}
