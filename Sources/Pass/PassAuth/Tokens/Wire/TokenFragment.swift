internal import FoundationEssentials

/// A token as received, split into its signature and the signed element.
///
/// Servers write two elements side by side, and write a second `<signatureInfo>` tag in place of the closing one: both
/// `<signatureInfo>…<signatureInfo>` and `<signatureInfo>…</signatureInfo>` are accepted. The signed bytes are those of
/// the second element, from its `<` to its last `>`.
struct TokenFragment {
    /// The signature, if there is one.
    let signature: [UInt8]?
    /// The element that carries the token: within the limits, with the expected root.
    let body: ScannedElement

    init(_ text: String, root: String) throws(PassTokenError) {
        try TokenLimits.check(size: text.utf8.count)
        let bytes = Array(text.utf8)
        var scanner = MarkupScanner(bytes)
        scanner.skipSpace()
        signature = try Self.signature(&scanner)
        scanner.skipSpace()
        body = try scanner.element(named: root)
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw .malformed("continues after its \(root)") }
    }

    /// Returns the fragment of an element: well-formed, and signed if there is a key.
    static func signed(_ body: String, with key: TokenSigningKey?) throws(PassTokenError) -> String {
        guard let key else { return body }
        let signature = try Data(key.signature(of: Array(body.utf8))).base64EncodedString()
        return "<signatureInfo>\(signature)</signatureInfo>\(body)"
    }

    /// Returns whether a token that was already decoded is signed by the key.
    static func isSigned(_ text: String, by key: TokenPublicKey) -> Bool {
        for root in ["simpleAuthenticationToken", "simpleAuthorizationToken", "shortAuthorizationToken"] {
            guard let token = try? TokenFragment(text, root: root), let signature = token.signature else { continue }
            return key.isValid(signature, for: token.body.received)
        }
        return false
    }

    private static func signature(_ scanner: inout MarkupScanner) throws(PassTokenError) -> [UInt8]? {
        if scanner.skip("<signatureInfo/>") { return nil }
        guard scanner.skip("<signatureInfo>") else {
            if scanner.skip("<signatureInfo") {
                throw .malformed("has a signatureInfo with more than a signature in it")
            }
            return nil
        }
        let text = scanner.text()
        guard scanner.skip("</signatureInfo>") || scanner.skip("<signatureInfo>") else {
            throw .malformed("has a signatureInfo that does not end")
        }
        let signature = try TokenText.base64(text, "signatureInfo")
        return signature.isEmpty ? nil : signature
    }
}

/// Limits that no real token approaches. They are checked before anything is parsed, and the size before anything is
/// decoded.
///
/// The XML library recurses into elements, and copies a text again for every reference in it. With these limits the
/// worst token takes a fraction of a second, and does not exhaust the stack.
enum TokenLimits {
    /// The largest size in bytes, of base64 or of XML. Real tokens have one to a few kilobytes, and a few tens with a
    /// long list of resources.
    static let bytes = 256 << 10
    /// The largest number of levels. Tokens have three.
    static let depth = 16
    /// The largest number of elements. A list of all existing channels has some hundreds.
    static let elements = 4_000
    /// The largest number of references, such as `&lt;`. An escaped media RSS document has some hundreds.
    static let references = 10_000

    static func check(size: Int) throws(PassTokenError) {
        guard size > bytes else { return }
        throw PassTokenError(
            .tooLarge,
            "The token is larger than \(bytes >> 10) KiB, so it was not read. Check the server's response."
        )
    }

    static func check(depth: Int, elements: Int, references: Int) throws(PassTokenError) {
        if depth <= self.depth, elements <= self.elements, references <= self.references { return }
        throw PassTokenError(
            .tooDeep,
            "The token has more than \(self.depth) levels, \(self.elements) elements or \(self.references) references, so it "
                + "was not parsed. Check the server's response."
        )
    }
}
