/// A token as received, taken apart: the signature, and the element that it is over.
///
/// Servers write two elements side by side, and begin the second `signatureInfo` tag where they mean to end the first:
/// both `<signatureInfo>…<signatureInfo>` and `<signatureInfo>…</signatureInfo>` are read. The signature is taken to be
/// over the bytes of the second element, from its `<` to its last `>`.
struct TokenFragment {
    /// The signature, if there is one.
    let signature: [UInt8]?
    /// The element that carries the token: within the limits, of the root asked for.
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
        guard scanner.isAtEnd else { throw .malformed("goes on after its \(root)") }
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
