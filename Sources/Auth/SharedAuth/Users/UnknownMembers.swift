/// The members of a JSON object that this version does not know. They are kept, and written back with the object.
struct UnknownMembers: Sendable, Hashable {
    private var members: [String: Value] = [:]

    /// A JSON value. Integers stay integers.
    private enum Value: Sendable, Hashable, Codable {
        case null
        case bool(Bool)
        case integer(Int64)
        case unsigned(UInt64)
        case number(Double)
        case string(String)
        case array([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(UInt64.self) {
                self = .unsigned(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let value): try container.encode(value)
            case .object(let value): try container.encode(value)
            }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Creates an empty collection.
    init() {}

    /// Reads the members of the decoder's object, except the known ones.
    init<Known: CodingKey & CaseIterable>(from decoder: any Decoder, besides known: Known.Type) throws {
        let object = try decoder.container(keyedBy: Name.self)
        let names = Known.allCases.map(\.stringValue)
        for name in object.allKeys where !names.contains(name.stringValue) {
            members[name.stringValue] = try object.decode(Value.self, forKey: name)
        }
    }

    /// Adds the members to the encoder's object.
    func encode(to encoder: any Encoder) throws {
        if members.isEmpty { return }
        var object = encoder.container(keyedBy: Name.self)
        for (name, value) in members { try object.encode(value, forKey: Name(stringValue: name)) }
    }
}
