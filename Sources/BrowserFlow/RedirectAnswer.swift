/// The parameters that the browser brought back, each with one value.
public struct RedirectAnswer: Sendable {
    /// The values by their names, decoded.
    public let parameters: [String: String]

    /// The value of a parameter; nil if it was not there.
    public subscript(name: String) -> String? { parameters[name] }

    init(_ parameters: [String: String]) {
        self.parameters = parameters
    }
}

extension RedirectAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names; a value may be a code that stands for the person.
    public var description: String { parameters.keys.sorted().joined(separator: ", ") }

    /// As `description`.
    public var debugDescription: String { description }

    /// Shows the names only.
    public var customMirror: Mirror { Mirror(self, children: ["names": parameters.keys.sorted()]) }
}
