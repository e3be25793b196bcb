public import DesktopSupport

/// The header fields of a request or a response, in order. Names are case-insensitive.
public struct HTTPHeaders: Sendable {
    /// The fields as sent or received.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Creates headers from fields.
    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// The value of the first field with a name, or nil.
    ///
    /// Setting a value replaces all fields with that name. Setting nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areEqual($0.name, name) }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// Returns the values of all fields with a name.
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

extension HTTPHeaders: Redacted {
    /// The names only; values may contain tokens.
    public var description: String { fields.map(\.name).joined(separator: ", ") }

    /// Shows the names only.
    public var customMirror: Mirror { Mirror(self, children: ["names": fields.map(\.name)]) }
}
