internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// Digests: the fingerprints of devices, names and tokens, and user ids for tracking.
package enum Digest {
    /// Returns the MD5 digest of an id in lower-case hexadecimal, as in Adobe's tracking: suitable for counting users,
    /// but weak for hiding their ids.
    static func trackingID(of text: String) -> String {
        Insecure.MD5.hash(data: Array(text.utf8)).hexadecimal
    }

    /// Returns the SHA-256 digest of a text in lower-case hexadecimal.
    package static func fingerprint(of text: String) -> String { fingerprint(of: Array(text.utf8)) }

    /// Returns the SHA-256 digest of bytes in lower-case hexadecimal.
    static func fingerprint(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

    /// Returns a UUID that does not reveal `key`: the HMAC-SHA-256 of a message, cut to 128 bits and marked as version
    /// 4.
    static func uuid(key: [UInt8], message: [UInt8]) -> String {
        var bytes = Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return text(bytes)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += [byte].hexadecimal.uppercased()
        }
        return text
    }
}
