internal import Crypto
internal import JSONWebSignature
internal import SharedAuth

extension SignatureAlgorithm {
    /// Returns the `at_hash` of an access token (OpenID Connect Core §3.1.3.6): the first half of its hash, by the
    /// function of this algorithm.
    func halfHash(of token: String) -> String {
        let bytes = Array(token.utf8)
        let hash: [UInt8] =
            switch self {
            case .rs256, .ps256, .es256, .hs256: Array(SHA256.hash(data: bytes))
            case .rs384, .ps384, .es384: Array(SHA384.hash(data: bytes))
            case .rs512, .ps512, .es512, .ed25519: Array(SHA512.hash(data: bytes))
            }
        return Base64URL.encode(hash.prefix(hash.count / 2))
    }
}
