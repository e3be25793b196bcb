internal import FoundationEssentials
internal import SharedAuth

extension JSONValue {
    /// A text, or null.
    init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    /// A time, in milliseconds since 1970.
    static func time(_ date: Date) -> JSONValue { .number((date.timeIntervalSince1970 * 1000).rounded(.down)) }

    /// A time, in milliseconds since 1970, as the text that sessions have it as.
    static func timeText(_ date: Date) -> JSONValue {
        .string(String(Int64((date.timeIntervalSince1970 * 1000).rounded(.down))))
    }

    /// The texts in a list; nil if it is none, or has anything else in it.
    var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }

    /// The truth value, if it is one.
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The object without what is null.
    var withoutNulls: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null })
    }
}
