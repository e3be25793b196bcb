internal import FoundationEssentials

/// Encodes JSON (RFC 8259) in one form: equal values give equal bytes. All JSON is encoded here.
package enum StableJSON {
    /// Returns the JSON of a value, with its members sorted by name.
    ///
    /// - Parameter escapingSlashes: Whether to write `\/`, as the formats of users and journals do.
    /// - Throws: The error of the value, or `EncodingError` for a number that JSON cannot express.
    package static func encode(_ value: some Encodable, escapingSlashes: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = escapingSlashes ? .sortedKeys : [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
