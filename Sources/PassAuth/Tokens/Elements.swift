extension [String]? {
    /// The text of an element that a token has exactly once.
    func only(_ name: String) throws(PassTokenError) -> String {
        guard let text = try atMostOne(name) else { throw .missing(name) }
        return text
    }

    /// The text of an element that a token may lack or leave empty.
    func atMostOne(_ name: String) throws(PassTokenError) -> String? {
        let all = self ?? []
        guard all.count < 2 else { throw .repeated(name) }
        guard let text = all.first.map(TokenText.trimmed), !text.isEmpty else { return nil }
        return text
    }
}
