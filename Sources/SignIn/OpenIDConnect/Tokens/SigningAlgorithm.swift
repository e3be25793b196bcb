internal import Crypto
internal import SharedAuth

/// The algorithms that may sign an ID token. `none` is not allowed, nor are shared secrets, for which an attacker could
/// use a public key as the secret.
enum SigningAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The type of key that the algorithm needs (RFC 7518 §6.1).
    var keyType: String {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .edDSA: "OKP"
        }
    }

    /// The curve that the algorithm needs, or nil.
    var curve: String? {
        switch self {
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .edDSA: "Ed25519"
        default: nil
        }
    }

    /// Returns the `at_hash` of an access token (OpenID Connect Core §3.1.3.6): the first half of its hash.
    func halfHash(of token: String) -> String {
        let bytes = Array(token.utf8)
        let hash: [UInt8] =
            switch self {
            case .rs256, .ps256, .es256: Array(SHA256.hash(data: bytes))
            case .rs384, .ps384, .es384: Array(SHA384.hash(data: bytes))
            case .rs512, .ps512, .es512, .edDSA: Array(SHA512.hash(data: bytes))
            }
        return Base64URL.encode(hash.prefix(hash.count / 2))
    }
}
