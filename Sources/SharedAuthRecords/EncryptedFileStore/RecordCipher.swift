internal import Crypto
internal import FoundationEssentials

/// Turns records into the bytes of their files and back, with AES-256-GCM.
///
/// A file begins with `SharedAuthFile1.` and the digest of its key (16 bytes), which are authenticated; then come a random
/// nonce (12 bytes), the sealed revision (counter and nonce, 8 bytes each, big endian) and payload, and the tag (16
/// bytes).
struct RecordCipher: Sendable {
    private static let format = FormatPrefix(family: "SharedAuthFile", version: 1)
    private static let prefix = format.bytes
    private static let headSize = 16 + 16

    private let key: SymmetricKey

    init(key: SymmetricKey) {
        self.key = key
    }

    func seal(_ record: Record, for name: RecordKey) throws(RecordStoreError) -> [UInt8] {
        let head = Self.prefix + name.digest
        var plain: [UInt8] = []
        plain.reserveCapacity(16 + record.payload.count)
        plain.append(bigEndian: record.revision.counter)
        plain.append(bigEndian: record.revision.nonce)
        plain += record.payload
        do {
            let box = try AES.GCM.seal(plain, using: key, authenticating: head)
            return head + box.nonce + box.ciphertext + box.tag
        } catch {
            throw RecordStoreError(.failed, "\(name) could not be encrypted.")
        }
    }

    /// The record in a file; damage and newer formats are answers, too.
    func open(_ bytes: [UInt8], for name: RecordKey) -> StoredRecord { open(bytes, digest: name.digest) }

    /// The record in a file that is to be that of the key of this digest.
    func open(_ bytes: [UInt8], digest: [UInt8]) -> StoredRecord {
        if bytes.isEmpty { return .empty }
        if bytes.starts(with: Self.prefix) { return open(presentFormat: bytes, digest) }
        guard let newer = Self.format.newerVersion(in: bytes) else {
            return .damaged("it does not begin as a record does")
        }
        // A newer format differs from this one in more than its number.
        if case .whole = open(presentFormat: Self.prefix + newer.body, digest) {
            return .damaged("the number of its version was changed")
        }
        return .newer("its file is of version \(newer.number)")
    }

    private func open(presentFormat bytes: [UInt8], _ digest: [UInt8]) -> StoredRecord {
        guard bytes.count >= Self.headSize + 12 + 16 + 16 else { return .damaged("it is cut short") }
        let head = bytes.prefix(Self.headSize)
        guard head.dropFirst(16).elementsEqual(digest) else {
            return .damaged("it is the record of another slot")
        }
        guard
            let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(Self.headSize)),
            let plain = try? AES.GCM.open(box, using: key, authenticating: head)
        else {
            return .damaged("its seal is broken, as it was changed, cut short, or taken from another store")
        }
        let revision = Revision(
            counter: UInt64(bigEndian: plain.prefix(8)),
            nonce: UInt64(bigEndian: plain.dropFirst(8).prefix(8))
        )
        guard revision.isPlausible else { return .damaged("its counter is out of range") }
        return .whole(Record(payload: Array(plain.dropFirst(16)), revision: revision))
    }
}
