internal import Crypto
internal import FoundationEssentials

/// Turns records into the bytes of their files and back, with AES-256-GCM.
///
/// A file begins with `SharedAuthFile1.` and the digest of its key (16 bytes), which are authenticated; then come a random
/// nonce (12 bytes), the sealed revision (counter and nonce, 8 bytes each, big endian) and payload, and the tag (16
/// bytes).
struct RecordCipher: Sendable {
    private static let family = Array("SharedAuthFile".utf8)
    private static let prefix = Array("SharedAuthFile1.".utf8)
    private static let headSize = 16 + 16

    private let key: SymmetricKey

    init(key: SymmetricKey) {
        self.key = key
    }

    func seal(_ record: Record, for name: RecordKey) throws(RecordStoreError) -> [UInt8] {
        let head = Self.prefix + name.digest
        var plain: [UInt8] = []
        plain.reserveCapacity(16 + record.payload.count)
        for number in [record.revision.counter, record.revision.nonce] {
            for shift in stride(from: 56, through: 0, by: -8) {
                plain.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        plain += record.payload
        do {
            let box = try AES.GCM.seal(plain, using: key, authenticating: head)
            return head + box.nonce + box.ciphertext + box.tag
        } catch {
            throw RecordStoreError(.failed, "\(name) could not be encrypted.")
        }
    }

    /// The record in a file; damage and newer formats are answers, too.
    func open(_ bytes: [UInt8], for name: RecordKey) -> StoredRecord {
        guard !bytes.isEmpty else { return .damaged("it is empty") }
        guard bytes.starts(with: Self.prefix) else {
            if let version = Self.version(of: bytes) { return .newer("its file is of version \(version)") }
            return .damaged("it does not begin as a record does")
        }
        guard bytes.count >= Self.headSize + 12 + 16 + 16 else { return .damaged("it is cut short") }
        let head = bytes.prefix(Self.headSize)
        guard head.dropFirst(16).elementsEqual(name.digest) else {
            return .damaged("it is the record of another slot")
        }
        guard
            let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(Self.headSize)),
            let plain = try? AES.GCM.open(box, using: key, authenticating: head)
        else {
            return .damaged("its seal is broken, as it was changed, cut short, or taken from another store")
        }
        let numbers = [plain.prefix(8), plain.dropFirst(8).prefix(8)].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        return .whole(
            Record(payload: Array(plain.dropFirst(16)), revision: Revision(counter: numbers[0], nonce: numbers[1]))
        )
    }

    /// The version in a prefix such as `SharedAuthFile2.`, if it is one higher than ours.
    private static func version(of bytes: [UInt8]) -> Int? {
        guard bytes.starts(with: family) else { return nil }
        let digits = bytes.dropFirst(family.count).prefix(9).prefix { $0 != UInt8(ascii: ".") }
        guard let version = Int(String(decoding: digits, as: UTF8.self)), version > 1 else { return nil }
        return version
    }
}
