public import DesktopSupport
public import FoundationEssentials

/// A secret from which an authenticator app computes one-time codes, one for each time interval (RFC 6238; Firebase:
/// `TOTPSecret`). Its description shows the number of digits alone.
public struct TOTPSecret: Sendable, Hashable {
    private let key: String
    /// The algorithm that computes codes, e.g. `SHA1`.
    public let hashingAlgorithm: String
    /// The number of digits of a code.
    public let codeLength: Int
    /// The time for which a code is valid, in seconds.
    public let codeIntervalSeconds: Int
    /// The date until which the secret can be enrolled; nil if it is not known.
    public let enrollmentCompletionDeadline: Date?
    /// The identity provider's identifier of the secret.
    package let sessionInfo: String

    /// Creates a secret. Identity providers call this.
    ///
    /// - Parameters:
    ///   - key: The secret in base 32.
    ///   - hashingAlgorithm: The algorithm that computes codes.
    ///   - codeLength: The number of digits of a code.
    ///   - codeIntervalSeconds: The time for which a code is valid, in seconds.
    ///   - enrollmentCompletionDeadline: The date until which the secret can be enrolled; nil if it is not known.
    ///   - sessionInfo: The identity provider's identifier of the secret.
    public init(
        key: String,
        hashingAlgorithm: String = "SHA1",
        codeLength: Int = 6,
        codeIntervalSeconds: Int = 30,
        enrollmentCompletionDeadline: Date? = nil,
        sessionInfo: String
    ) {
        self.key = key
        self.hashingAlgorithm = hashingAlgorithm
        self.codeLength = codeLength
        self.codeIntervalSeconds = codeIntervalSeconds
        self.enrollmentCompletionDeadline = enrollmentCompletionDeadline
        self.sessionInfo = sessionInfo
    }

    /// Returns the secret in base 32, for a user who types it.
    public func sharedSecretKey() -> String { key }

    /// Returns the URL that authenticator apps read from a QR code. It contains the secret.
    ///
    /// - Parameters:
    ///   - accountName: The name of the account, e.g. the e-mail address.
    ///   - issuer: The name of the service, e.g. of the app.
    public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
        let (issuer, accountName) = (Self.escape(issuer), Self.escape(accountName))
        return "otpauth://totp/\(issuer):\(accountName)?secret=\(Self.escape(key))&issuer=\(issuer)"
            + "&algorithm=\(Self.escape(hashingAlgorithm))&digits=\(codeLength)&period=\(codeIntervalSeconds)"
    }

    /// Percent-encodes all but unreserved characters, because a colon or an ampersand in a name would end the name.
    private static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            let isPlain =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._~".utf8.contains(byte)
            return isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TOTPSecret: Redacted {
    /// The number of digits alone.
    public var description: String { "TOTPSecret(\(codeLength) digits)" }
    /// The number of digits alone: the rest is secret.
    public var customMirror: Mirror { Mirror(self, children: ["codeLength": codeLength]) }
}
