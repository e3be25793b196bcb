package import Crypto
package import CryptoExtras
package import Formats
internal import FoundationEssentials

/// A key that signs tokens, with one algorithm for each type of key.
package struct SigningKey: Sendable {
    package enum Material: Sendable {
        /// RS256.
        case rsa(_RSA.Signing.PrivateKey)
        /// ES256.
        case p256(P256.Signing.PrivateKey)
        /// EdDSA.
        case ed25519(Curve25519.Signing.PrivateKey)
        /// HS256.
        case secret(SymmetricKey)
    }

    /// The key could not be used.
    package struct Failure: Error {}

    /// The key that checks the signatures, which is a secret if this one is.
    package let verifier: JSONWebKey
    private let material: Material

    /// Creates a key.
    ///
    /// - Parameter id: The label of the key, which its tokens name.
    package init(_ material: Material, id: String? = nil) {
        self.material = material
        verifier =
            switch material {
            case .rsa(let key): JSONWebKey(.rsa(key.publicKey), id: id, for: [.rs256])
            case .p256(let key): JSONWebKey(.p256(key.publicKey), id: id, for: [.es256])
            case .ed25519(let key): JSONWebKey(.ed25519(key.publicKey), id: id, for: [.ed25519])
            case .secret(let key): JSONWebKey(.secret(key), id: id, for: [.hs256])
            }
    }

    /// Returns a JSON Web Token with these claims.
    package func sign(_ claims: [String: JSONValue]) throws(Failure) -> String {
        try sign(JSONValue.object(claims).bytes)
    }

    /// Returns a JSON Web Token with these bytes.
    package func sign(_ payload: [UInt8]) throws(Failure) -> String {
        var header: [String: JSONValue] = ["typ": .string("JWT")]
        header["alg"] = (verifier.algorithms.first?.name).map(JSONValue.string)
        header["kid"] = verifier.id.map(JSONValue.string)
        let content = [JSONValue.object(header).bytes, payload].map { Base64URL.encode($0) }.joined(separator: ".")
        do {
            return "\(content).\(Base64URL.encode(try signature(of: Array(content.utf8))))"
        } catch {
            throw Failure()
        }
    }

    private func signature(of bytes: [UInt8]) throws -> Data {
        switch material {
        case .rsa(let key):
            try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256(let key): try key.signature(for: bytes).rawRepresentation
        case .ed25519(let key): try key.signature(for: bytes)
        case .secret(let key): Data(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        }
    }
}
