/// What no real token comes near; looked at before anything is decoded or parsed.
enum TokenLimits {
    /// Bytes, of base64 or of XML. Real tokens have one to a few kilobytes, and a few tens with a long list of resources.
    static let bytes = 1 << 20
    /// Levels of elements. Tokens have three; the parser below recurses.
    static let depth = 16
    /// Elements. A list of every channel there is has some hundreds.
    static let elements = 10_000

    static func check(_ count: Int) throws(PassTokenError) {
        guard count > bytes else { return }
        throw PassTokenError(
            .tooLarge,
            "The token is larger than 1 MiB, so it was not read. Look at what the server sends."
        )
    }
}
