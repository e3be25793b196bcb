internal import CryptoExtras
internal import FoundationEssentials

/// The public RSA key of a programmer, for metadata that only the programmer may read.
struct MetadataEncryptionKey: Sendable {
    private let pem: String

    /// Reads a key from PEM of type `PUBLIC KEY`. Nil for anything else.
    init?(pem: String) {
        guard (try? _RSA.Encryption.PublicKey(pemRepresentation: pem)) != nil else { return nil }
        self.pem = pem
    }

    /// Encrypts a text with OAEP padding and returns it as base64; the result differs each time. Nil if the text is too
    /// long for the key.
    func encrypt(_ text: String) -> String? {
        guard let key = try? _RSA.Encryption.PublicKey(pemRepresentation: pem) else { return nil }
        return (try? key.encrypt(Data(text.utf8), padding: .PKCS1_OAEP))?.base64EncodedString()
    }
}
