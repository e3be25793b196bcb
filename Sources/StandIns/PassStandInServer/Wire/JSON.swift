internal import FoundationEssentials
internal import SharedAuth

extension JSONValue {
    /// Creates a string, or null for nil.
    init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    /// Returns a date in milliseconds since 1970.
    static func time(_ date: Date) -> JSONValue { .number((date.timeIntervalSince1970 * 1000).rounded(.down)) }

    /// Returns a date in milliseconds since 1970 as a string, the form used in sessions.
    static func timeText(_ date: Date) -> JSONValue {
        .string(String(Int64((date.timeIntervalSince1970 * 1000).rounded(.down))))
    }

    /// The elements of an array of strings; nil for anything else.
    var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }

    /// The Boolean value; nil for anything else.
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The object without members that are null.
    var withoutNulls: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null })
    }
}
