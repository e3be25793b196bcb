package import FoundationEssentials
package import SharedAuth

/// An object as servers send it: members that are missing, unknown or of another type than usual harm nobody.
package struct JSONObject: Sendable {
    package let members: [String: JSONValue]

    package init(members: [String: JSONValue]) { self.members = members }

    package init?(_ body: some Sequence<UInt8>) {
        guard case .object(let members)? = JSONReader.value(body) else { return nil }
        self.members = members
    }

    /// An object within another.
    package init?(_ value: JSONValue?) {
        guard case .object(let members)? = value else { return nil }
        self.members = members
    }

    /// Objects in a list; what is none is left out.
    package func objects(_ name: String) -> [JSONObject] {
        guard case .array(let values)? = members[name] else { return [] }
        return values.compactMap { JSONObject($0) }
    }

    /// A text; nil if it is none, or empty.
    package func string(_ name: String) -> String? {
        guard let text = members[name]?.string, !text.isEmpty else { return nil }
        return text
    }

    /// Texts; nil if it is no list.
    package func strings(_ name: String) -> [String]? {
        guard case .array(let values)? = members[name] else { return nil }
        return values.compactMap(\.string)
    }

    /// The address of a photo; nil if it is none that a photo may have.
    package func photoURL(_ name: String) -> URL? { string(name).flatMap(HTTPOrigin.photoURL) }

    package func bool(_ name: String) -> Bool? {
        switch members[name] {
        case .bool(let value)?: value
        // Some write it so.
        case .string("true")?: true
        case .string("false")?: false
        default: nil
        }
    }

    /// Whole seconds, as a number or its digits; nil if it is neither, or negative, or beyond a hundred years.
    package func seconds(_ name: String) -> Double? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        guard let number, number >= 0, number < 3_200_000_000 else { return nil }
        return number.rounded(.down)
    }

    /// The number of seconds that a token of these claims lasts, by its issuer's clock.
    package var lifetime: Double? {
        guard let issued = seconds("iat"), let expires = seconds("exp") else { return nil }
        return expires - issued
    }
}

extension JSONValue {
    /// Reads JSON; nil if it is none.
    package init?(bytes: some Sequence<UInt8>) {
        guard let value = JSONReader.value(bytes) else { return nil }
        self = value
    }

    /// The JSON, with the members of objects in order; empty if it has a number that JSON cannot express.
    package var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    /// The same as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
