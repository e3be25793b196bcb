/// The header fields of a request or an answer, in order; names are compared without regard to case.
public struct HTTPHeaders: Sendable {
    /// The fields as they are sent or were received.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Creates headers from fields.
    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// The value of a field, of the first one if there are several; nil if there is none.
    ///
    /// Setting it replaces all fields of that name, and setting it to nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areEqual($0.name, name) }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// The values of all fields of a name.
    public func values(of name: String) -> [String] {
        fields.filter { Self.areEqual($0.name, name) }.map(\.value)
    }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        left.lowercased() == right.lowercased()
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from a literal, such as `["Accept": "application/json"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { name, value in (name: name, value: value) })
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names; values may hold tokens.
    public var description: String { fields.map(\.name).joined(separator: ", ") }

    /// As `description`.
    public var debugDescription: String { description }

    /// Shows the names only.
    public var customMirror: Mirror { Mirror(self, children: ["names": fields.map(\.name)]) }
}
