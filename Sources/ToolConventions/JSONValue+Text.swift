internal import FoundationEssentials
package import SharedAuth

extension JSONValue {
    /// The value on one line, with the members of objects in alphabetical order.
    package var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// A text, or null.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}
