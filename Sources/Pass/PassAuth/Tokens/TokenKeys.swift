internal import Crypto
internal import CryptoExtras
public import DesktopSupport
internal import FoundationEssentials

/// The RSA key that verifies tokens' signatures: SHA-256 with RSA and PKCS #1 v1.5 padding.
public struct TokenPublicKey: Sendable {
    private let key: _RSA.Signing.PublicKey

    /// Creates a key from PEM, `PUBLIC KEY` or `RSA PUBLIC KEY`.
    ///
    /// To extract the key from a certificate, use `openssl x509 -pubkey -noout`.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidKey` for anything else, or for a key of fewer than 2048 bits.
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

    /// Returns whether `signature` is this key's signature of `bytes`.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(signature))
        return key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
    }
}

extension TokenPublicKey: Hashable {
    /// Returns whether both are the same key.
    public static func == (left: TokenPublicKey, right: TokenPublicKey) -> Bool {
        left.key.derRepresentation == right.key.derRepresentation
    }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key.derRepresentation) }
}

/// The private RSA key with which a stand-in server signs its tokens. Its description shows nothing of the key.
public struct TokenSigningKey: Sendable {
    private let key: _RSA.Signing.PrivateKey

    /// Creates a new key of 2048 bits, which takes a noticeable fraction of a second.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidKey` if the system cannot create one.
    public init() throws(PassTokenError) {
        do {
            key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        } catch {
            throw PassTokenError(.invalidKey, "The system could not create an RSA key.")
        }
    }

    /// Creates a key from PEM, `PRIVATE KEY` or `RSA PRIVATE KEY`.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidKey` for anything else, or for a key of fewer than 2048 bits.
    public init(pem: String) throws(PassTokenError) {
        do {
            key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw .key("private", "PRIVATE KEY")
        }
    }

    /// The key in PEM, `RSA PRIVATE KEY`, for ``init(pem:)``. It is a secret: store it where no one else can read it.
    public var pem: String { key.pemRepresentation }

    /// The public key that verifies its signatures.
    public var publicKey: TokenPublicKey { TokenPublicKey(key.publicKey) }

    func signature(of bytes: [UInt8]) throws(PassTokenError) -> [UInt8] {
        do {
            let signature = try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
            return Array(signature.rawRepresentation)
        } catch {
            throw PassTokenError(.invalidKey, "The RSA key could not sign. Create another one.")
        }
    }
}

extension TokenSigningKey: Redacted {
    /// The name of the type only.
    public var description: String { "TokenSigningKey" }
}
