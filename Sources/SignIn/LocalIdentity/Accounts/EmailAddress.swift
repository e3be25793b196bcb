internal import SharedAuth

/// A well-formed e-mail address in lower case, the form in which addresses are compared.
struct EmailAddress: Sendable, Hashable {
    /// The address.
    let text: String

    /// Checks an address: one `@` with text before it, a domain without empty parts after it, no spaces or control
    /// characters, at most 254 bytes.
    ///
    /// - Throws: `invalidEmail`.
    init(_ text: String) throws(AuthError) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard
            parts.count == 2,
            !parts[0].isEmpty,
            parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }),
            text.utf8.count <= 254,
            text.unicodeScalars.allSatisfy({ !$0.properties.isWhitespace && $0.properties.generalCategory != .control })
        else {
            throw AuthError(.invalidEmail, "The e-mail address is malformed. Give one such as name@example.com.")
        }
        self.text = text.lowercased()
    }

    /// Checks the address of a new account: as above, and without characters that change how the text around them is
    /// displayed. Existing accounts with such an address can still sign in.
    ///
    /// - Throws: `invalidEmail`.
    init(new text: String) throws(AuthError) {
        try self.init(text)
        guard !text.unicodeScalars.contains(where: \.isDisplayControl) else {
            throw AuthError(
                .invalidEmail,
                "The e-mail address has invisible characters, such as those that reverse the direction of text. Type it, "
                    + "instead of pasting it."
            )
        }
    }
}
