@_exported public import protocol DesktopSupport.Redacted

/// The parameters of the redirect, each with one value.
public struct RedirectAnswer: Sendable {
    /// The decoded values by their names.
    public let parameters: [String: String]

    /// The value of a parameter, or nil.
    public subscript(name: String) -> String? { parameters[name] }

    init(_ parameters: [String: String]) {
        self.parameters = parameters
    }
}

extension RedirectAnswer: Redacted {
    /// The names only; a value may be a code that signs the user in.
    public var description: String { parameters.keys.sorted().joined(separator: ", ") }

    /// Shows the names only.
    public var customMirror: Mirror { Mirror(self, children: ["names": parameters.keys.sorted()]) }
}
