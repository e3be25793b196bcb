internal import Crypto
internal import CryptoExtras
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
    static func verify(_ token: IDToken, _ algorithm: SigningAlgorithm, with keys: [Key]) -> Bool {
        guard let end = token.text.lastIndex(of: "."),
            let signature = Base64URL.decode(token.text[token.text.index(after: end)...].utf8)
        else { return false }
        let signed = Array(token.text[..<end].utf8)
        return keys.contains { $0.isValidSignature(signature, for: signed, algorithm) }
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

    /// Whether this key made the signature over these bytes (RFC 7518 §3); not, where it cannot be a key of the algorithm.
    fileprivate func isValidSignature(_ signature: [UInt8], for bytes: [UInt8], _ algorithm: SigningAlgorithm) -> Bool {
        func number(_ name: String) -> [UInt8]? { material[name].flatMap { Base64URL.decode($0.utf8) } }
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            guard let modulus = number("n"), let exponent = number("e"),
                // Throws for one of fewer than 2,048 bits.
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return false }
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return switch algorithm {
            case .rs256: key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
            case .rs384: key.isValidSignature(signature, for: SHA384.hash(data: bytes), padding: .insecurePKCS1v1_5)
            case .rs512: key.isValidSignature(signature, for: SHA512.hash(data: bytes), padding: .insecurePKCS1v1_5)
            case .ps256: key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .PSS)
            case .ps384: key.isValidSignature(signature, for: SHA384.hash(data: bytes), padding: .PSS)
            default: key.isValidSignature(signature, for: SHA512.hash(data: bytes), padding: .PSS)
            }
        case .es256:
            guard let point = point(of: 32, number), let key = try? P256.Signing.PublicKey(x963Representation: point),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes))
        case .es384:
            guard let point = point(of: 48, number), let key = try? P384.Signing.PublicKey(x963Representation: point),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA384.hash(data: bytes))
        case .es512:
            guard let point = point(of: 66, number), let key = try? P521.Signing.PublicKey(x963Representation: point),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA512.hash(data: bytes))
        case .edDSA:
            guard let bits = number("x"), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bits) else {
                return false
            }
            return key.isValidSignature(signature, for: bytes)
        }
    }

    /// The point of a key on a curve, uncompressed; nil unless both coordinates have the length of the curve's field (RFC 7518 §6.2.1).
    private func point(of length: Int, _ number: (String) -> [UInt8]?) -> [UInt8]? {
        guard let x = number("x"), let y = number("y"), x.count == length, y.count == length else { return nil }
        return [4] + x + y
    }
}
