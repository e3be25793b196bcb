extension PassTokenError {
    static func key(_ kind: String, _ label: String) -> PassTokenError {
        PassTokenError(
            .invalidKey,
            "This is not a \(kind) RSA key of at least 2048 bits in PEM. Pass the text from BEGIN \(label) to END \(label)."
        )
    }

    static func malformed(_ what: String) -> PassTokenError {
        PassTokenError(.malformed, "The token \(what). Fetch it again, or look at what the server sends.")
    }

    static func missing(_ element: String) -> PassTokenError {
        PassTokenError(.missingElement, "The token's \(element) is missing or empty. Look at what the server sends.")
    }

    static func repeated(_ element: String) -> PassTokenError {
        PassTokenError(
            .repeatedElement,
            "The token has more than one \(element), and which one counts is not said. Look at what the server sends."
        )
    }
}
