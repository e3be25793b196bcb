internal import FoundationEssentials

extension TokenFragment {
    /// The fragment of an element, well-formed, with the key's signature if there is a key.
    static func signed(_ body: String, with key: TokenSigningKey?) throws(PassTokenError) -> String {
        guard let key else { return body }
        let signature = try Data(key.signature(of: Array(body.utf8))).base64EncodedString()
        return "<signatureInfo>\(signature)</signatureInfo>\(body)"
    }

    /// Whether a token that was read once is signed by the key.
    static func isSigned(_ text: String, by key: TokenPublicKey) -> Bool {
        for root in ["simpleAuthenticationToken", "simpleAuthorizationToken", "shortAuthorizationToken"] {
            guard let token = try? TokenFragment(text, root: root), let signature = token.signature else { continue }
            return key.isValid(signature, for: token.body.received)
        }
        return false
    }
}
