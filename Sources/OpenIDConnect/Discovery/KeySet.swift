internal import FoundationEssentials
internal import JWTKit
internal import SharedAuth
internal import SharedAuthHTTP

/// The keys with which an OpenID provider signs (RFC 7517). Keys of unknown types, and those for encryption, are left out.
struct KeySet: Sendable {
    /// A public key.
    struct Key: Sendable, Hashable {
        let id: String?
        let type: String
        let algorithm: String?
        let curve: String?
        /// The members that make the key.
        fileprivate let material: [String: String]
    }

    let keys: [Key]

    /// Reads a set; nil if it is none.
    init?(_ document: JSONObject) {
        guard case .array(let values)? = document.members["keys"] else { return nil }
        keys = values.prefix(100).compactMap(Key.init)
    }

    /// The keys that may have signed a token: those of its key id; without one, the only key that fits.
    func keys(for token: IDToken, _ algorithm: SigningAlgorithm) -> [Key] {
        let fitting = keys.filter { $0.fits(algorithm) }
        guard let id = token.keyID else { return fitting.count == 1 ? fitting : [] }
        return fitting.filter { $0.id == id }
    }

    /// Whether one of these keys signed the token.
    static func verify(_ token: IDToken, _ algorithm: SigningAlgorithm, with keys: [Key]) async -> Bool {
        for key in keys {
            // The parser of tokens would take its first key for one that it does not know, so it gets one alone.
            guard let key = key.webKey(for: algorithm, id: token.keyID ?? "only") else { continue }
            let collection = JWTKeyCollection()
            guard (try? await collection.add(jwk: key)) != nil else { continue }
            if (try? await collection.verify(token.text, as: Signed.self)) != nil { return true }
        }
        return false
    }

    /// A payload of which nothing is read.
    private struct Signed: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}

extension KeySet.Key {
    /// Reads a key; nil if it cannot be one that signs.
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

    /// The key as the parser of tokens takes it.
    fileprivate func webKey(for algorithm: SigningAlgorithm, id: String) -> JWK? {
        var members = material
        members["kty"] = type
        members["crv"] = curve
        members["alg"] = algorithm.rawValue
        members["kid"] = id
        guard let bytes = try? JSONEncoder().encode(members) else { return nil }
        return try? JSONDecoder().decode(JWK.self, from: bytes)
    }
}
