internal import Crypto
package import FoundationEssentials
internal import SharedAuthRecords

/// Time-based one-time passwords (RFC 6238) as authenticator apps use them: six digits, a new one every 30 seconds,
/// HMAC-SHA-1.
package enum TOTP {
    static let period = 30
    static let digits = 6

    /// Returns the password at a time; nil if the secret is not base32.
    package static func code(secret: String, at date: Date) -> String? {
        guard let key = Base32.decode(secret) else { return nil }
        return code(key: key, step: Int(date.timeIntervalSince1970) / period)
    }

    /// Returns true if a password is valid at a time. Also accepts the previous and the next password, because clocks
    /// may differ.
    static func matches(_ code: String, secret: String, at date: Date) -> Bool {
        guard let key = Base32.decode(secret) else { return false }
        let step = Int(date.timeIntervalSince1970) / period
        return (step - 1...step + 1).contains { self.code(key: key, step: $0) == code }
    }

    /// Returns the password of a time step; see RFC 4226, section 5.3.
    private static func code(key: [UInt8], step: Int) -> String {
        let message = (0..<8).reversed().map { UInt8(truncatingIfNeeded: step >> ($0 * 8)) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        let offset = Int(mac[mac.count - 1] & 15)
        let number = mac[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7fff_ffff
        let text = "\(number % 1_000_000)"
        return String(repeating: "0", count: digits - text.count) + text
    }

    static func newSecret() -> String { Base32.encode(randomBytes(20)) }
}

/// Base32 without padding (RFC 4648, section 6).
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var (text, buffer, bits) = ([UInt8](), 0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xffff
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    static func decode(_ text: String) -> [UInt8]? {
        var (bytes, buffer, bits) = ([UInt8](), 0, 0)
        for character in text.uppercased().utf8 where character != UInt8(ascii: "=") {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            buffer = (buffer << 5 | value) & 0xffff
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}
