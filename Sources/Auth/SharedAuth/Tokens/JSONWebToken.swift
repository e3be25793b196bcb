package import FoundationEssentials

/// The parts of a JSON Web Token (RFC 7515 and 7519). The signature is not checked here.
package struct JSONWebToken: Sendable {
    /// The claims of the token.
    package let claims: [String: JSONValue]
    private let parts: [Substring]

    /// Parses a token; returns nil if it does not have three parts, or no readable claims.
    package init?(_ text: String) {
        parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Self.members(parts[1]) else { return nil }
        self.claims = claims
    }

    /// The header, which names the algorithm and the key; nil if it cannot be read.
    package var header: [String: JSONValue]? { Self.members(parts[0]) }

    /// The bytes that are signed.
    package var signedBytes: Data { Data("\(parts[0]).\(parts[1])".utf8) }

    /// The signature; nil if it cannot be read.
    package var signature: [UInt8]? { Base64URL.decode(parts[2].utf8) }

    private static func members(_ part: Substring) -> [String: JSONValue]? {
        guard let bytes = Base64URL.decode(part.utf8), case .object(let members)? = JSONReader.value(bytes) else {
            return nil
        }
        return members
    }
}

extension Date {
    /// Whole seconds since 1970, as tokens express dates; 0 for a date that is too far away.
    package var wholeSeconds: Int { Int(exactly: timeIntervalSince1970.rounded(.down)) ?? 0 }
}
