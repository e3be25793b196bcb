internal import FoundationEssentials

/// A JSON value, as in the claims of a token; ``plain`` converts it to Swift's own types.
@frozen
public enum JSONValue: Sendable, Hashable, Codable {
    /// `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// Decodes a value of any kind.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value as it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The value in Swift's own types, for `as?`: `Bool`, `String`, `Int` for a whole number, `Double` for any other
    /// number, an array or a dictionary; ``null`` is itself.
    public var plain: any Sendable {
        switch self {
        case .null: self
        case .bool(let value): value
        case .number(let value): if let whole = Int(exactly: value) { whole } else { value }
        case .string(let value): value
        case .array(let values): values.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        }
    }

    /// The number; nil for any other value.
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The string; nil for any other value.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The member of the object with this name; nil if there is no such member, or for any other value.
    public subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }
}

extension JSONValue {
    /// Parses JSON; nil if the bytes are not JSON.
    package init?(bytes: some Sequence<UInt8>) {
        guard let value = JSONReader.value(bytes) else { return nil }
        self = value
    }

    /// The encoded JSON, with sorted members; empty if it has a number that JSON cannot express.
    package var bytes: [UInt8] { (try? StableJSON.encode(self)) ?? [] }
}
