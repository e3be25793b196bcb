internal import FoundationEssentials
internal import SharedAuth

extension JSONValue {
    /// The value on one line, with the members of objects in alphabetical order.
    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// A text, or null.
    init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}
