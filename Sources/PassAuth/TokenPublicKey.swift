internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// The RSA key that tokens' signatures are checked with: SHA-256 with RSA in the padding of PKCS #1 v1.5.
public struct TokenPublicKey: Sendable {
    private let key: _RSA.Signing.PublicKey

    /// Reads a key from PEM, `PUBLIC KEY` or `RSA PUBLIC KEY`.
    ///
    /// Of a certificate, `openssl x509 -pubkey -noout` prints the key.
    ///
    /// - Throws: `PassTokenError` with code `invalidKey` for anything else, or a key of fewer than 2048 bits.
    public init(pem: String) throws(PassTokenError) {
        do {
            key = try _RSA.Signing.PublicKey(pemRepresentation: pem)
        } catch {
            throw .key("public", "PUBLIC KEY")
        }
    }

    init(_ key: _RSA.Signing.PublicKey) { self.key = key }

    /// The key in PEM, as a server publishes it.
    public var pem: String { key.pemRepresentation }

    /// Whether `signature` is this key's for `bytes`.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(signature))
        return key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
    }
}

extension TokenPublicKey: Hashable {
    /// Whether it is the same key.
    public static func == (left: TokenPublicKey, right: TokenPublicKey) -> Bool {
        left.key.derRepresentation == right.key.derRepresentation
    }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key.derRepresentation) }
}
