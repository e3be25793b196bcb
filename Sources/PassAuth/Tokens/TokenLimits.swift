/// What no real token comes near; looked at before anything is parsed, the size before anything is even decoded.
///
/// The XML library recurses into elements, and copies a text anew for every reference in it: with these limits the worst
/// token costs a fraction of a second, and no stack.
enum TokenLimits {
    /// Bytes, of base64 or of XML. Real tokens have one to a few kilobytes, and a few tens with a long list of resources.
    static let bytes = 256 << 10
    /// Levels of elements. Tokens have three.
    static let depth = 16
    /// Elements. A list of every channel there is has some hundreds.
    static let elements = 4_000
    /// References, such as `&lt;`. An escaped media RSS document has some hundreds.
    static let references = 10_000

    static func check(size: Int) throws(PassTokenError) {
        guard size > bytes else { return }
        throw PassTokenError(
            .tooLarge,
            "The token is larger than \(bytes >> 10) KiB, so it was not read. Look at what the server sends."
        )
    }

    static func check(depth: Int, elements: Int, references: Int) throws(PassTokenError) {
        if depth <= self.depth, elements <= self.elements, references <= self.references { return }
        throw PassTokenError(
            .tooDeep,
            "The token has more than \(self.depth) levels, \(self.elements) elements or \(self.references) references, so it "
                + "was not parsed. Look at what the server sends."
        )
    }
}
