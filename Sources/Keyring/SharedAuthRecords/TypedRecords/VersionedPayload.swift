internal import FoundationEssentials

/// A record's payload in JSON: the content, and the format's version number in a member that the owner names.
package struct VersionedPayload<Content: Codable>: Encodable {
    private struct Whole: Decodable {
        let content: Content
    }

    private let name: String
    private let number: Int
    private let content: Content

    package init(_ name: String, _ number: Int, _ content: Content) {
        (self.name, self.number, self.content) = (name, number, content)
    }

    /// Encodes the two members.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberName.self)
        try members.encode(number, forKey: MemberName(stringValue: name))
        try members.encode(content, forKey: MemberName(stringValue: "content"))
    }

    /// The encoded JSON; equal content gives equal bytes.
    package var bytes: [UInt8] {
        get throws { try StableJSON.encode(self) }
    }

    /// Decodes the content of a payload.
    ///
    /// - Parameters:
    ///   - name: The name of the member with the version number.
    ///   - newest: The newest format version that can be read.
    package static func content(
        of payload: [UInt8],
        _ name: String,
        upTo newest: Int
    ) throws(RecordFlaw) -> Content {
        // The decoder's error message is omitted because it may quote the content.
        let numbers = try? UntrustedJSON.decode([String: FormatNumber].self, from: payload)
        guard let number = numbers?[name]?.value, number >= 1 else { throw .damaged("it names no \(name)") }
        guard number <= newest else { throw .newer("its \(name) is \(number)") }
        guard let whole = try? UntrustedJSON.decode(Whole.self, from: payload) else {
            throw .damaged("parts are missing or of the wrong kind")
        }
        return whole.content
    }
}

/// A coding key of any name.
private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

/// A member's value if it is an integer, otherwise nil.
private struct FormatNumber: Decodable {
    let value: Int?

    init(from decoder: any Decoder) throws { value = try? decoder.singleValueContainer().decode(Int.self) }
}
