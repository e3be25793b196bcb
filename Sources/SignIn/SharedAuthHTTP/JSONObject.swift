package import FoundationEssentials
package import SharedAuth

/// A lenient JSON object: missing, unknown or mistyped members are ignored.
package struct JSONObject: Sendable {
    package let members: [String: JSONValue]

    package init(members: [String: JSONValue]) { self.members = members }

    package init?(_ body: some Sequence<UInt8>) {
        guard case .object(let members)? = JSONReader.value(body) else { return nil }
        self.members = members
    }

    /// Reads an object in which the last of duplicate members counts, for a response whose other members must not be
    /// lost.
    package init?(lenient body: some Sequence<UInt8>) {
        guard case .object(let members)? = JSONReader.value(body, takingLastOfDuplicates: true) else { return nil }
        self.members = members
    }

    /// Creates an object from a member's value; nil if the value is not an object.
    package init?(_ value: JSONValue?) {
        guard case .object(let members)? = value else { return nil }
        self.members = members
    }

    /// Returns the objects in a list; other elements are left out.
    package func objects(_ name: String) -> [JSONObject] {
        guard case .array(let values)? = members[name] else { return [] }
        return values.compactMap { JSONObject($0) }
    }

    /// Returns a text; nil if the member is not a text or is empty.
    package func string(_ name: String) -> String? {
        guard let text = members[name]?.string, !text.isEmpty else { return nil }
        return text
    }

    /// Returns the texts in a list; nil if the member is not a list.
    package func strings(_ name: String) -> [String]? {
        guard case .array(let values)? = members[name] else { return nil }
        return values.compactMap(\.string)
    }

    /// Returns a photo's URL; nil unless ``HTTPOrigin/photoURL(_:)`` allows it.
    package func photoURL(_ name: String) -> URL? { string(name).flatMap(HTTPOrigin.photoURL) }

    package func bool(_ name: String) -> Bool? {
        switch members[name] {
        case .bool(let value)?: value
        // Some servers send a Boolean as text.
        case .string("true")?: true
        case .string("false")?: false
        default: nil
        }
    }

    /// Returns whole seconds, given as a number or as text; nil if the value is neither, negative, or more than about a
    /// hundred years.
    package func seconds(_ name: String) -> Double? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        guard let number, number >= 0, number < 3_200_000_000 else { return nil }
        return number.rounded(.down)
    }

    /// Returns a moment in whole seconds since 1970, given as a number or as text; nil if it is neither, or not in the
    /// years 1970 to 9999.
    package func moment(_ name: String) -> Double? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        guard let number, number >= 0, number < 253_402_300_800 else { return nil }
        return number.rounded(.down)
    }

    /// The lifetime in seconds of a token with these claims, by its issuer's clock.
    package var lifetime: Double? {
        guard let issued = moment("iat"), let expires = moment("exp") else { return nil }
        return expires - issued
    }
}

extension JSONValue {
    /// The encoded JSON as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
