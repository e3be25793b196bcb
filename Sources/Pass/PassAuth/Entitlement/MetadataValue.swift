internal import CryptoExtras
public import DesktopSupport
package import FoundationEssentials

/// A value of metadata: any JSON value.
@frozen
public indirect enum MetadataValue: Sendable, Hashable, Codable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([MetadataValue])
    case object([String: MetadataValue])
    case null

    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([MetadataValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: MetadataValue].self))
        }
    }

    /// Encodes the JSON value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        case .null: try container.encodeNil()
        }
    }
}

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

extension MetadataDecryptionKey: Redacted {
    /// The name of the type only.
    public var description: String { "MetadataDecryptionKey" }
}

extension MetadataValue {
    /// The date, if the value is the text of an expiry.
    package var date: Date? {
        guard case .text(let text) = self else { return nil }
        return try? TokenDate.date(text, in: "value")
    }
}
