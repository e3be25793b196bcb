internal import Crypto

extension RecordKey {
    /// Sixteen bytes that tell this key from every other.
    var digest: [UInt8] {
        let text = [scopeName, project, instance, kind].joined(separator: "\n")
        return Array(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }

    /// A name for locks on the record: letters and digits only, and a letter first.
    func lockName(_ purpose: String) -> String {
        "\(purpose).k\(hexadecimalDigest)"
    }

    /// The digest in lower-case hexadecimal.
    var hexadecimalDigest: String {
        digest.reduce(into: "") { name, byte in
            name += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
    }
}
