package import Crypto
package import CryptoExtras
internal import Formats
internal import FoundationEssentials

/// The key itself, without its labels.
package enum KeyMaterial: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case secret(SymmetricKey)

    /// The algorithms that keys of this type are for.
    var algorithms: Set<SignatureAlgorithm> {
        switch self {
        case .rsa: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case .p256: [.es256]
        case .p384: [.es384]
        case .p521: [.es512]
        case .ed25519: [.ed25519]
        case .secret: [.hs256]
        }
    }

    /// The members of a JSON Web Key that are the key, and no others (RFC 7638 §3.2).
    var members: [String: String] {
        switch self {
        case .rsa(let key):
            // It has these numbers, though the call is marked as throwing.
            let numbers = try? key.getKeyPrimitives()
            return [
                "kty": "RSA", "n": Base64URL.encode(numbers?.modulus ?? Data()),
                "e": Base64URL.encode(numbers?.publicExponent ?? Data()),
            ]
        case .p256(let key): return Self.members("P-256", key.rawRepresentation)
        case .p384(let key): return Self.members("P-384", key.rawRepresentation)
        case .p521(let key): return Self.members("P-521", key.rawRepresentation)
        case .ed25519(let key): return ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(key.rawRepresentation)]
        case .secret(let key): return ["kty": "oct", "k": unsafe key.withUnsafeBytes { unsafe Base64URL.encode($0) }]
        }
    }

    private static func members(_ curve: String, _ point: Data) -> [String: String] {
        let half = point.count / 2
        return [
            "kty": "EC", "crv": curve, "x": Base64URL.encode(point.prefix(half)),
            "y": Base64URL.encode(point.suffix(half)),
        ]
    }
}

extension KeyMaterial {
    /// The minimum length of an RSA key, in bits.
    private static let shortestRSA = 2048
    /// The minimum length of a secret, in bytes: that of the hash (RFC 7518 §3.2).
    private static let shortestSecret = 32

    /// Reads the members of a JSON Web Key that are the key (RFC 7518 §6, RFC 8037 §2).
    init(_ key: JSONValue) throws(KeyFlaw) {
        func name(_ member: String) throws(KeyFlaw) -> String {
            guard let name = key[member]?.string, !name.isEmpty else { throw .member(member) }
            return name
        }
        let type = try name("kty")
        func bytes(_ name: String, count: Int? = nil) throws(KeyFlaw) -> [UInt8] {
            guard let text = key[name]?.string, let bytes = Base64URL.decode(text.utf8), !bytes.isEmpty else {
                throw .member(name)
            }
            guard count == nil || bytes.count == count else { throw .length(name) }
            return bytes
        }
        func point(_ size: Int) throws(KeyFlaw) -> [UInt8] { try bytes("x", count: size) + bytes("y", count: size) }
        let material: KeyMaterial?
        switch (type, type == "EC" || type == "OKP" ? try name("crv") : "") {
        case ("RSA", _):
            let (modulus, exponent) = (try bytes("n"), try bytes("e"))
            let digits = modulus.drop { $0 == 0 }
            let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
            guard bits >= Self.shortestRSA else { throw .short(bits: bits) }
            material = (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)).map(KeyMaterial.rsa)
        case ("EC", "P-256"):
            let point = try point(32)
            material = (try? P256.Signing.PublicKey(rawRepresentation: point)).map(KeyMaterial.p256)
        case ("EC", "P-384"):
            let point = try point(48)
            material = (try? P384.Signing.PublicKey(rawRepresentation: point)).map(KeyMaterial.p384)
        case ("EC", "P-521"):
            let point = try point(66)
            material = (try? P521.Signing.PublicKey(rawRepresentation: point)).map(KeyMaterial.p521)
        case ("OKP", "Ed25519"):
            let point = try bytes("x", count: 32)
            material = (try? Curve25519.Signing.PublicKey(rawRepresentation: point)).map(KeyMaterial.ed25519)
        case ("oct", _):
            let secret = try bytes("k")
            guard secret.count >= Self.shortestSecret else { throw .short(bits: secret.count * 8) }
            material = .secret(SymmetricKey(data: secret))
        case (_, ""): throw .type(type)
        case (_, let curve): throw .type(curve)
        }
        guard let material else { throw .noKey }
        self = material
    }
}
