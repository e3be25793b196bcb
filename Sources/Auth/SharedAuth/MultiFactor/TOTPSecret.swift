public import FoundationEssentials

/// A secret from which an authenticator app computes one-time codes, one for each period of time (RFC 6238; Firebase: `TOTPSecret`).
/// Printed, it shows only the number of digits.
public struct TOTPSecret: Sendable, Hashable {
    private let key: String
    /// How codes are computed, e.g. `SHA1`.
    public let hashingAlgorithm: String
    /// How many digits a code has.
    public let codeLength: Int
    /// How long a code is good, in seconds.
    public let codeIntervalSeconds: Int
    /// Until when the secret can be enrolled; nil if the identity provider does not say.
    public let enrollmentCompletionDeadline: Date?
    /// What the identity provider knows the secret by.
    package let sessionInfo: String

    /// Makes a secret; identity providers do.
    ///
    /// - Parameters:
    ///   - key: the secret in base 32.
    ///   - hashingAlgorithm: how codes are computed.
    ///   - codeLength: how many digits a code has.
    ///   - codeIntervalSeconds: how long a code is good, in seconds.
    ///   - enrollmentCompletionDeadline: until when the secret can be enrolled.
    ///   - sessionInfo: what the identity provider knows the secret by.
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

    /// The secret in base 32, for a person who types it.
    public func sharedSecretKey() -> String { key }

    /// The URL that authenticator apps read from a QR code; it contains the secret.
    ///
    /// - Parameters:
    ///   - accountName: whose it is, e.g. the e-mail address.
    ///   - issuer: what it is for, e.g. the name of the app.
    public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
        let (issuer, accountName) = (Self.escape(issuer), Self.escape(accountName))
        return "otpauth://totp/\(issuer):\(accountName)?secret=\(Self.escape(key))&issuer=\(issuer)"
            + "&algorithm=\(Self.escape(hashingAlgorithm))&digits=\(codeLength)&period=\(codeIntervalSeconds)"
    }

    /// Escapes all but plain characters: a colon or an ampersand of a name would end it.
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

extension TOTPSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of digits alone.
    public var description: String { "TOTPSecret(\(codeLength) digits)" }
    /// The number of digits alone.
    public var debugDescription: String { description }
    /// The number of digits alone: the rest is secret.
    public var customMirror: Mirror { Mirror(self, children: ["codeLength": codeLength]) }
}
