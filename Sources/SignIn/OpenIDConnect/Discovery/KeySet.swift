internal import FoundationEssentials
internal import JWTKit
internal import SharedAuth
internal import SharedAuthHTTP

/// An OpenID provider's signing keys (RFC 7517). Keys of unknown types and encryption keys are left out.
struct KeySet: Sendable {
    /// A public key.
    struct Key: Sendable, Hashable {
        let id: String?
        let type: String
        let algorithm: String?
        let curve: String?
        /// The members of the key itself.
        fileprivate let material: [String: String]
    }

    let keys: [Key]

    /// Parses a key set; nil if the document is not one.
    init?(_ document: JSONObject) {
        guard case .array(let values)? = document.members["keys"] else { return nil }
        keys = values.prefix(100).compactMap(Key.init)
    }

    /// Returns the keys that may have signed a token: those with its key ID, or the only suitable key if it has no key
    /// ID.
    func keys(for token: IDToken, _ algorithm: SigningAlgorithm) -> [Key] {
        let fitting = keys.filter { $0.fits(algorithm) }
        guard let id = token.keyID else { return fitting.count == 1 ? fitting : [] }
        return fitting.filter { $0.id == id }
    }

    /// Returns whether one of these keys signed the token.
    static func verify(_ token: IDToken, _ algorithm: SigningAlgorithm, with keys: [Key]) async -> Bool {
        for key in keys {
            // The token parser falls back to its first key for an unknown one, so each collection has one key only.
            guard let key = key.webKey(for: algorithm, id: token.keyID ?? "only") else { continue }
            let collection = JWTKeyCollection()
            guard (try? await collection.add(jwk: key)) != nil else { continue }
            if (try? await collection.verify(token.text, as: Signed.self)) != nil { return true }
        }
        return false
    }

    /// A payload that is not read.
    private struct Signed: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}

extension KeySet.Key {
    /// Parses a key; nil if it is not a signing key.
    fileprivate init?(_ value: JSONValue) {
        guard let type = value["kty"]?.string, ["RSA", "EC", "OKP"].contains(type) else { return nil }
        guard value["use"]?.string ?? "sig" == "sig" else { return nil }
        if case .array(let operations)? = value["key_ops"], !operations.contains(.string("verify")) { return nil }
        self.type = type
        id = value["kid"]?.string
        algorithm = value["alg"]?.string
        curve = value["crv"]?.string
        var material: [String: String] = [:]
        for name in ["n", "e", "x", "y"] { material[name] = value[name]?.string }
        self.material = material
    }

    fileprivate func fits(_ algorithm: SigningAlgorithm) -> Bool {
        type == algorithm.keyType && curve == algorithm.curve
            && (self.algorithm == nil || self.algorithm == algorithm.rawValue)
    }

    /// Returns the key in the token parser's format.
    fileprivate func webKey(for algorithm: SigningAlgorithm, id: String) -> JWK? {
        var members = material
        members["kty"] = type
        members["crv"] = curve
        members["alg"] = algorithm.rawValue
        members["kid"] = id
        guard let bytes = try? JSONEncoder().encode(members) else { return nil }
        return try? UntrustedJSON.decode(JWK.self, from: bytes)
    }
}
