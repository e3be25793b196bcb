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

/// The private RSA key that a stand-in server signs its tokens with; printed, it shows nothing.
public struct TokenSigningKey: Sendable {
    private let key: _RSA.Signing.PrivateKey

    /// Makes a new key of 2048 bits, which takes a noticeable fraction of a second.
    ///
    /// - Throws: `PassTokenError` with code `invalidKey` when the system cannot make one.
    public init() throws(PassTokenError) {
        do {
            key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        } catch {
            throw PassTokenError(.invalidKey, "The system could not make an RSA key.")
        }
    }

    /// Reads a key from PEM, `PRIVATE KEY` or `RSA PRIVATE KEY`.
    ///
    /// - Throws: `PassTokenError` with code `invalidKey` for anything else, or a key of fewer than 2048 bits.
    public init(pem: String) throws(PassTokenError) {
        do {
            key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw .key("private", "PRIVATE KEY")
        }
    }

    /// The key in PEM, `RSA PRIVATE KEY`: a secret, to be kept where no one else can read it. ``init(pem:)`` reads it.
    public var pem: String { key.pemRepresentation }

    /// The key that checks this one's signatures.
    public var publicKey: TokenPublicKey { TokenPublicKey(key.publicKey) }

    func signature(of bytes: [UInt8]) throws(PassTokenError) -> [UInt8] {
        do {
            let signature = try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
            return Array(signature.rawRepresentation)
        } catch {
            throw PassTokenError(.invalidKey, "The RSA key could not sign. Make another one.")
        }
    }
}

extension TokenSigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the key.
    public var description: String { "TokenSigningKey" }
    /// Nothing of the key.
    public var debugDescription: String { description }
    /// Nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
