extension String {
    /// The name in a message: in quotation marks, with control characters made visible, and cut after 80 characters.
    package var quotedName: String {
        let beginning = unicodeScalars.prefix(Self.longestQuotedName + 1)
        if beginning.count <= Self.longestQuotedName { return debugDescription }
        return (String(String.UnicodeScalarView(beginning.dropLast())) + "…").debugDescription
    }

    /// In scalars, as one character may be of any number of them.
    private static let longestQuotedName = 80
}
