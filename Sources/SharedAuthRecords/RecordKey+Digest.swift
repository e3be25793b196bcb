internal import Crypto

extension RecordKey {
    /// Sixteen bytes that tell this key from every other.
    var digest: [UInt8] {
        let text = [scopeName, project, instance, kind].joined(separator: "\n")
        return Array(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }

    /// A name for locks on the record: letters and digits only, and a letter first.
    func lockName(_ purpose: String) -> String {
        Self.lockName(purpose, digest: hexadecimalDigest)
    }

    /// A name for locks on the record of this digest.
    static func lockName(_ purpose: String, digest: String) -> String { "\(purpose).k\(digest)" }

    /// The digest in lower-case hexadecimal.
    var hexadecimalDigest: String {
        digest.reduce(into: "") { name, byte in
            name += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
    }
}
