/// A JSON Web Signature in its compact form (RFC 7515 §7.1), such as a JSON Web Token: parsed, and not verified.
package struct CompactJWS: Sendable {
    /// The maximum length of the text, in bytes.
    package static let greatestLength = 1 << 18

    /// The members of the header.
    package let header: [String: JSONValue]
    /// The bytes that were signed for their reader: the claims of a JSON Web Token.
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// The bytes that the signature is of: the encoded header and payload.
    package let signedBytes: [UInt8]

    /// Parses a text; nil unless it has three parts in Base64URL, of which the first is a JSON object.
    package init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(Self.greatestLength + 1))
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard bytes.count <= Self.greatestLength, parts.count == 3,
            let header = Base64URL.decode(parts[0]), case .object(let members)? = JSONReader.value(header),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = members
        self.payload = payload
        self.signature = signature
        signedBytes = Array(bytes[..<parts[1].endIndex])
    }

    /// The claims of a JSON Web Token (RFC 7519); nil if the payload is not a JSON object.
    package var claims: [String: JSONValue]? {
        guard case .object(let members)? = JSONReader.value(payload) else { return nil }
        return members
    }

    /// The name of the algorithm.
    package var algorithmName: String? { header["alg"]?.string }
    /// The label of the key; nil for an empty one, which says nothing.
    package var keyID: String? { header["kid"]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    /// The media type, such as `JWT` or `at+jwt`.
    package var type: String? { header["typ"]?.string }
}
