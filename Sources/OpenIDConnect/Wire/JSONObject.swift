internal import FoundationEssentials
internal import SharedAuth

/// An object as servers send it: members that are missing, unknown or of another type than usual harm nobody.
struct JSONObject: Sendable {
    let members: [String: JSONValue]

    init?(_ body: some Sequence<UInt8>) {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(body)) else { return nil }
        self.members = members
    }

    /// A text; nil if it is none, or empty.
    func string(_ name: String) -> String? {
        guard let text = members[name]?.string, !text.isEmpty else { return nil }
        return text
    }

    /// Texts; nil if it is no list.
    func strings(_ name: String) -> [String]? {
        guard case .array(let values)? = members[name] else { return nil }
        return values.compactMap(\.string)
    }

    func bool(_ name: String) -> Bool? {
        switch members[name] {
        case .bool(let value)?: value
        // Some write it so.
        case .string("true")?: true
        case .string("false")?: false
        default: nil
        }
    }

    /// Whole seconds, as a number or its digits; nil if it is neither, or negative, or beyond a hundred years.
    func seconds(_ name: String) -> Double? {
        let number = members[name]?.number ?? members[name]?.string.flatMap { Double($0) }
        guard let number, number >= 0, number < 3_200_000_000 else { return nil }
        return number.rounded(.down)
    }
}
