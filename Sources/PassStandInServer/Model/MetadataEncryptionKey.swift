internal import CryptoExtras
internal import FoundationEssentials

/// The public RSA key that a programmer has given for metadata that nobody else is to read.
struct MetadataEncryptionKey: Sendable {
    private let pem: String

    /// Reads a key from PEM, `PUBLIC KEY`; nil for anything else.
    init?(pem: String) {
        guard (try? _RSA.Encryption.PublicKey(pemRepresentation: pem)) != nil else { return nil }
        self.pem = pem
    }

    /// Base64 of the encrypted text, different each time, in the padding OAEP; nil for a text that is too long for the key.
    func encrypt(_ text: String) -> String? {
        guard let key = try? _RSA.Encryption.PublicKey(pemRepresentation: pem) else { return nil }
        return (try? key.encrypt(Data(text.utf8), padding: .PKCS1_OAEP))?.base64EncodedString()
    }
}
