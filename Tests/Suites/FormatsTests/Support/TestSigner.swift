import Crypto
import CryptoExtras
public import Formats
import FoundationEssentials
import JSONWebSignature

/// A key of the tests, and signatures made without the module under test.
struct TestSigner: Sendable {
    /// The public key as JSON, without labels.
    let key: [String: JSONValue]
    let sign: @Sendable (_ bytes: [UInt8]) throws -> [UInt8]
    private let algorithm: String

    /// Returns a token with a signature. The header has the algorithm, unless other members replace it.
    func token(_ header: [String: JSONValue] = [:], _ payload: String = #"{"sub":"ada"}"#) throws -> String {
        let members = ["alg": JSONValue.string(algorithm)].merging(header) { $1 }
        return try token(JSONValue.object(members).bytes, Array(payload.utf8))
    }

    /// Returns a token with a signature, whatever its parts.
    func token(_ header: [UInt8], _ payload: [UInt8]) throws -> String {
        let content = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        return "\(content).\(Base64URL.encode(try sign(Array(content.utf8))))"
    }

    /// Returns the key with labels.
    func labelled(_ labels: [String: JSONValue]) throws -> JSONWebKey {
        try JSONWebKey(.object(key.merging(labels) { $1 }))
    }
}

extension TestSigner {
    static let rsaKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let p256 = P256.Signing.PrivateKey()
    private static let p384 = P384.Signing.PrivateKey()
    private static let p521 = P521.Signing.PrivateKey()
    private static let ed25519 = Curve25519.Signing.PrivateKey()
    private static let secret = SymmetricKey(size: .bits256)

    static func of(_ algorithm: SignatureAlgorithm) throws -> TestSigner {
        switch algorithm {
        case .rs256: try rsa("RS256") { (SHA256.hash(data: $0), .insecurePKCS1v1_5) }
        case .rs384: try rsa("RS384") { (SHA384.hash(data: $0), .insecurePKCS1v1_5) }
        case .rs512: try rsa("RS512") { (SHA512.hash(data: $0), .insecurePKCS1v1_5) }
        case .ps256: try rsa("PS256") { (SHA256.hash(data: $0), .PSS) }
        case .ps384: try rsa("PS384") { (SHA384.hash(data: $0), .PSS) }
        case .ps512: try rsa("PS512") { (SHA512.hash(data: $0), .PSS) }
        case .es256:
            ec("ES256", "P-256", p256.publicKey.rawRepresentation) { try p256.signature(for: $0).rawRepresentation }
        case .es384:
            ec("ES384", "P-384", p384.publicKey.rawRepresentation) { try p384.signature(for: $0).rawRepresentation }
        case .es512:
            ec("ES512", "P-521", p521.publicKey.rawRepresentation) { try p521.signature(for: $0).rawRepresentation }
        case .ed25519:
            TestSigner(
                key: ["kty": "OKP", "crv": "Ed25519", "x": bytes(ed25519.publicKey.rawRepresentation)],
                sign: { Array(try ed25519.signature(for: $0)) },
                algorithm: "EdDSA"
            )
        case .hs256:
            TestSigner(
                key: ["kty": "oct", "k": unsafe secret.withUnsafeBytes { unsafe bytes($0) }],
                sign: { Array(HMAC<SHA256>.authenticationCode(for: $0, using: secret)) },
                algorithm: "HS256"
            )
        }
    }

    private static func rsa(
        _ algorithm: String,
        _ digest: @escaping @Sendable ([UInt8]) -> (any Digest, _RSA.Signing.Padding)
    ) throws -> TestSigner {
        let key = try rsaKey.get()
        let numbers = try key.publicKey.getKeyPrimitives()
        return TestSigner(
            key: ["kty": "RSA", "n": bytes(numbers.modulus), "e": bytes(numbers.publicExponent)],
            sign: { content in
                let (digest, padding) = digest(content)
                return Array(try key.signature(for: digest, padding: padding).rawRepresentation)
            },
            algorithm: algorithm
        )
    }

    private static func ec(
        _ algorithm: String,
        _ curve: JSONValue,
        _ point: Data,
        _ sign: @escaping @Sendable ([UInt8]) throws -> Data
    ) -> TestSigner {
        let half = point.count / 2
        return TestSigner(
            key: ["kty": "EC", "crv": curve, "x": bytes(point.prefix(half)), "y": bytes(point.suffix(half))],
            sign: { Array(try sign($0)) },
            algorithm: algorithm
        )
    }

    private static func bytes(_ bytes: some Sequence<UInt8>) -> JSONValue { .string(Base64URL.encode(bytes)) }
}

extension JSONValue: ExpressibleByStringLiteral {
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
}
