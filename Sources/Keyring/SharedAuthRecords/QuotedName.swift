extension String {
    /// The name quoted for a message: in quotation marks, with control characters escaped, and truncated after 80
    /// characters.
    package var quotedName: String {
        let beginning = unicodeScalars.prefix(Self.longestQuotedName + 1)
        if beginning.count <= Self.longestQuotedName { return debugDescription }
        return (String(String.UnicodeScalarView(beginning.dropLast())) + "…").debugDescription
    }

    /// Counted in scalars, because one character can have any number of them.
    private static let longestQuotedName = 80
}
