internal import Crypto
internal import FoundationEssentials

/// Digests: the fingerprints of devices, names and tokens, and user ids for tracking.
package enum Digest {
    /// Returns the MD5 digest of an id in lower-case hexadecimal, as in Adobe's tracking: suitable for counting users,
    /// but weak for hiding their ids.
    static func trackingID(of text: String) -> String {
        hexadecimal(Insecure.MD5.hash(data: Array(text.utf8)))
    }

    /// Returns the SHA-256 digest of a text in lower-case hexadecimal.
    package static func fingerprint(of text: String) -> String { fingerprint(of: Array(text.utf8)) }

    /// Returns the SHA-256 digest of bytes in lower-case hexadecimal.
    static func fingerprint(of bytes: [UInt8]) -> String { hexadecimal(SHA256.hash(data: bytes)) }

    /// Returns a UUID that does not reveal `key`: the HMAC-SHA-256 of a message, cut to 128 bits and marked as version
    /// 4.
    static func uuid(key: [UInt8], message: [UInt8]) -> String {
        var bytes = Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return text(bytes)
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private static func text(_ bytes: [UInt8]) -> String {
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text += "-" }
            text += hexadecimal([byte]).uppercased()
        }
        return text
    }
}
