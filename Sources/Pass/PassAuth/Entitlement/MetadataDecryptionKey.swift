internal import CryptoExtras
public import DesktopSupport
package import Formats
package import FoundationEssentials

/// The private RSA key that decrypts a programmer's metadata. Its description shows nothing of the key.
public struct MetadataDecryptionKey: Sendable {
    private let pem: String

    /// Creates a key from PEM, `PRIVATE KEY` or `RSA PRIVATE KEY`.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidKey` for anything else, or for a key of fewer than 2048 bits.
    public init(pem: String) throws(PassTokenError) {
        guard (try? _RSA.Encryption.PrivateKey(pemRepresentation: pem)) != nil else {
            throw .key("private", "PRIVATE KEY")
        }
        self.pem = pem
    }

    /// Decrypts one value: base64 of a text encrypted with the programmer's public key and OAEP padding.
    ///
    /// - Throws: ``PassTokenError`` with code `notBase64`, or `invalidValue` for a value that this key does not
    ///   decrypt.
    public func decrypt(_ value: String) throws(PassTokenError) -> String {
        let bytes = Data(try TokenText.base64(value.utf8, "metadata value"))
        if let key = try? _RSA.Encryption.PrivateKey(pemRepresentation: pem),
            let clear = try? key.decrypt(bytes, padding: .PKCS1_OAEP),
            let text = String(validating: clear, as: UTF8.self)
        {
            return text
        }
        throw PassTokenError(
            .invalidValue,
            "This key does not open the metadata. Use the one whose certificate the programmer gave to Pass."
        )
    }
}

extension MetadataDecryptionKey: Redacted {}

extension JSONValue {
    /// The date, if the value is the text of an expiry.
    package var date: Date? { string.flatMap { try? TokenDate.date($0, in: "value") } }
}
