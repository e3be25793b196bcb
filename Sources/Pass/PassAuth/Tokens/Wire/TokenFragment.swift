internal import Formats
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
    let body: XMLElement
    /// The bytes of this element as received.
    let signedBytes: [UInt8]

    init(_ text: String, root: String) throws(PassTokenError) {
        try TokenLimits.check(size: text.utf8.count)
        let bytes = Array(text.utf8)
        var rest = bytes[...].skippingSpace()
        signature = try Self.signature(&rest)
        rest = rest.skippingSpace()
        var reader = XMLReader(bytes, from: rest.startIndex, within: TokenLimits.xml)
        do throws(XMLReader.Flaw) {
            body = try reader.element()
        } catch {
            throw PassTokenError(error)
        }
        signedBytes = Array(bytes[rest.startIndex..<reader.place])
        try Self.check(body)
        guard body.name == root else { throw .malformed("is not a \(root)") }
        guard bytes[reader.place...].skippingSpace().isEmpty else { throw .malformed("continues after its \(root)") }
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
            return key.isValid(signature, for: token.signedBytes)
        }
        return false
    }

    /// Skips the signature if there is one, and returns it.
    private static func signature(_ rest: inout ArraySlice<UInt8>) throws(PassTokenError) -> [UInt8]? {
        if rest.skip("<signatureInfo/>") { return nil }
        guard rest.skip("<signatureInfo>") else {
            if rest.skip("<signatureInfo") {
                throw .malformed("has a signatureInfo with more than a signature in it")
            }
            return nil
        }
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest[text.endIndex...]
        guard rest.skip("</signatureInfo>") || rest.skip("<signatureInfo>") else {
            throw .malformed("has a signatureInfo that does not end")
        }
        let signature = try TokenText.base64(text, "signatureInfo")
        return signature.isEmpty ? nil : signature
    }

    /// The elements whose text is a value, so that they contain no elements.
    private static let texts: Set<String> = [
        "simpleTokenAuthenticationGuid", "simpleTokenRequestorID", "simpleTokenDomainName", "simpleTokenExpires",
        "simpleTokenMsoID", "simpleTokenFingerprint", "simpleTokenResourceID", "simpleTokenTTL", "authorizedResource",
        "sessionGUID", "requestorID", "resourceID", "ttl", "issueTime", "mvpdId", "proxyMvpdId",
    ]

    private static func check(_ element: XMLElement) throws(PassTokenError) {
        if element.name == "signatureInfo" {
            throw PassTokenError(
                .secondSignature,
                "The token has more than one signatureInfo, so it is unclear which one applies. Check the server's response."
            )
        }
        if texts.contains(element.name), !element.elements.isEmpty {
            throw .malformed("has elements in its \(element.name), where text belongs; a server has to escape them")
        }
        for inside in element.elements { try check(inside) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func skippingSpace() -> ArraySlice<UInt8> { drop(while: XMLText.isSpace) }

    /// Skips a text if it comes next; returns whether it did.
    fileprivate mutating func skip(_ text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        self = dropFirst(text.utf8.count)
        return true
    }
}

extension PassTokenError {
    fileprivate init(_ flaw: XMLReader.Flaw) {
        self =
            switch flaw {
            case .tooLarge: TokenLimits.exceeded
            case .forbidden:
                PassTokenError(
                    .forbiddenMarkup,
                    "The token has a declaration, a comment or a processing instruction, which no token needs, so it was "
                        + "not parsed. Check the server's response."
                )
            case .malformed(let what): .malformed(what)
            }
    }
}

/// Limits that no real token approaches. The size is checked before anything is decoded.
enum TokenLimits {
    /// The largest size in bytes, of base64 or of XML. Real tokens have one to a few kilobytes, and a few tens with a
    /// long list of resources.
    static let bytes = 256 << 10
    /// Tokens have three levels, a list of all existing channels some hundreds of elements, and an escaped media RSS
    /// document some hundreds of references.
    static let xml = XMLReader.Limits(depth: 16, elements: 4_000, references: 10_000)

    static func check(size: Int) throws(PassTokenError) {
        guard size > bytes else { return }
        throw PassTokenError(
            .tooLarge,
            "The token is larger than \(bytes >> 10) KiB, so it was not read. Check the server's response."
        )
    }

    static var exceeded: PassTokenError {
        PassTokenError(
            .tooDeep,
            "The token has more than \(xml.depth) levels, \(xml.elements) elements or \(xml.references) references, so it "
                + "was not parsed. Check the server's response."
        )
    }
}
