internal import Crypto
internal import FoundationEssentials
internal import SharedAuthRecords

/// Encrypts records to the bytes of their files and decrypts them, with AES-256-GCM.
///
/// A file begins with `SharedAuthFile2.` and the digest of its key (16 bytes), which are authenticated. A random nonce
/// (12 bytes), the sealed part, and the tag (16 bytes) follow. The sealed part contains the revision (counter and
/// nonce, 8 bytes each, big endian), the length of the key's name (4 bytes), the name, and the payload. Version 1 has
/// no name.
struct RecordCipher: Sendable {
    /// The content of a file.
    struct Content {
        /// The record's key; nil if the file does not contain it.
        var key: RecordKey?
        let stored: StoredRecord
    }

    /// The versions of the format that can be read; the last one is written.
    private enum Version: Int, CaseIterable {
        case unnamed = 1
        case named = 2

        static let present = named

        var format: FormatPrefix { FormatPrefix(family: "SharedAuthFile", version: rawValue) }
    }

    private static let prefixSize = Version.present.format.bytes.count
    private static let headSize = prefixSize + 16

    private let key: SymmetricKey

    init(key: SymmetricKey) {
        self.key = key
    }

    func seal(_ record: Record, for name: RecordKey) throws(RecordStoreError) -> [UInt8] {
        let head = Version.present.format.bytes + name.digest
        let text = Array(name.name.utf8)
        var plain: [UInt8] = []
        plain.reserveCapacity(20 + text.count + record.payload.count)
        plain.append(bigEndian: record.revision.counter)
        plain.append(bigEndian: record.revision.nonce)
        plain.append(bigEndian: UInt32(truncatingIfNeeded: text.count))
        plain += text
        plain += record.payload
        do {
            let box = try AES.GCM.seal(plain, using: key, authenticating: head)
            return head + box.nonce + box.ciphertext + box.tag
        } catch {
            throw RecordStoreError(.failed, "\(name) could not be encrypted.")
        }
    }

    /// Returns the record in a file; damaged records and newer formats are results, not errors.
    func open(_ bytes: [UInt8], for name: RecordKey) -> StoredRecord { open(bytes, digest: name.digest).stored }

    /// Returns the record in a file that should belong to the key of this digest, with the key.
    func open(_ bytes: [UInt8], digest: [UInt8]) -> Content {
        if bytes.isEmpty { return Content(stored: .empty) }
        for version in Version.allCases where bytes.starts(with: version.format.bytes) {
            return open(bytes, as: version, digest)
        }
        guard let newer = Version.present.format.newerVersion(in: bytes) else {
            return Content(stored: .damaged("it does not begin as a record does"))
        }
        // A newer format differs from these in more than its version number.
        for version in Version.allCases {
            guard case .whole = open(version.format.bytes + newer.body, as: version, digest).stored else { continue }
            return Content(stored: .damaged("the number of its version was changed"))
        }
        return Content(stored: .newer("its file is of version \(newer.number)"))
    }

    private func open(_ bytes: [UInt8], as version: Version, _ digest: [UInt8]) -> Content {
        func damaged(_ reason: String) -> Content { Content(stored: .damaged(reason)) }
        guard bytes.count >= Self.headSize + 12 + 16 + 16 else { return damaged("it is cut short") }
        let head = bytes.prefix(Self.headSize)
        guard head.dropFirst(Self.prefixSize).elementsEqual(digest) else {
            return damaged("it is the record of another slot")
        }
        guard
            let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(Self.headSize)),
            let plain = try? AES.GCM.open(box, using: key, authenticating: head)
        else {
            return damaged("its seal is broken, as it was changed, cut short, or taken from another store")
        }
        let revision = Revision(
            counter: UInt64(bigEndian: plain.prefix(8)),
            nonce: UInt64(bigEndian: plain.dropFirst(8).prefix(8))
        )
        guard revision.isPlausible else { return damaged("its counter is out of range") }
        var payload = plain.dropFirst(16)
        var name: String?
        if version == .named {
            let length = Int(UInt32(bigEndian: payload.prefix(4)))
            let text = payload.dropFirst(4).prefix(length)
            guard payload.count >= 4 + length else { return damaged("its length is wrong") }
            guard RecordKey.digest(ofName: text) == digest else { return damaged("it is the record of another slot") }
            name = String(decoding: text, as: UTF8.self)
            payload = payload.dropFirst(4 + length)
        }
        return Content(
            key: name.flatMap(RecordKey.init(name:)),
            stored: .whole(Record(payload: Array(payload), revision: revision))
        )
    }
}
