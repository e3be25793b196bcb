internal import Crypto
internal import CryptoExtras
package import Formats

/// The reason why the signature of a token does not count, whatever its key.
package enum SignatureFlaw: Error, Hashable {
    /// The header demands extensions of its reader: `crit` (RFC 7515 §4.1.11), or `b64` (RFC 7797).
    case extensions
    /// The algorithm of this name, or of none, is unknown or not allowed.
    case algorithm(String?)
}

extension CompactJWS {
    /// Returns the algorithm of the signature, if it is one of these.
    package func algorithm(
        among allowed: Set<SignatureAlgorithm>
    ) throws(SignatureFlaw) -> SignatureAlgorithm {
        guard header["crit"] == nil, header["b64"] == nil else { throw .extensions }
        guard let algorithm = algorithmName.flatMap(SignatureAlgorithm.init(named:)), allowed.contains(algorithm) else {
            throw .algorithm(algorithmName)
        }
        return algorithm
    }
}

extension JSONWebKey {
    /// Returns the token that a text is, if this key signed it.
    package func token(_ text: String) -> CompactJWS? {
        CompactJWS(text).flatMap { isSigner(of: $0) ? $0 : nil }
    }

    /// Returns whether this key signed a token, with an algorithm that the key is for.
    package func isSigner(of token: CompactJWS) -> Bool {
        guard hasLabel(of: token), let algorithm = try? token.algorithm(among: algorithms) else { return false }
        let (bytes, signature) = (token.signedBytes, token.signature)
        switch (material, algorithm) {
        case (.rsa(let key), .rs256):
            return key.isValid(signature, of: SHA256.hash(data: bytes), .insecurePKCS1v1_5)
        case (.rsa(let key), .rs384):
            return key.isValid(signature, of: SHA384.hash(data: bytes), .insecurePKCS1v1_5)
        case (.rsa(let key), .rs512):
            return key.isValid(signature, of: SHA512.hash(data: bytes), .insecurePKCS1v1_5)
        case (.rsa(let key), .ps256): return key.isValid(signature, of: SHA256.hash(data: bytes), .PSS)
        case (.rsa(let key), .ps384): return key.isValid(signature, of: SHA384.hash(data: bytes), .PSS)
        case (.rsa(let key), .ps512): return key.isValid(signature, of: SHA512.hash(data: bytes), .PSS)
        // These signatures have a fixed length, which their types check.
        case (.p256(let key), .es256):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: bytes)
        case (.p384(let key), .es384):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: bytes)
        case (.p521(let key), .es512):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: bytes)
        case (.ed25519(let key), .ed25519): return key.isValidSignature(signature, for: bytes)
        case (.secret(let key), .hs256):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
        default: return false
        }
    }
}

extension _RSA.Signing.PublicKey {
    fileprivate func isValid(_ signature: [UInt8], of digest: some Digest, _ padding: _RSA.Signing.Padding) -> Bool {
        isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: padding)
    }
}
