internal import DesktopSupport
internal import FoundationEssentials

/// The text form of a record in the keyring: printable ASCII, which no daemon alters, with the data that distinguishes
/// an intact record of this key from anything else.
///
/// The prefix `SharedAuth1.` is followed by, in base64url: the counter and the nonce of the revision (8 bytes each, big
/// endian), a digest of the key (16 bytes), the length of the payload (4 bytes), the payload, and the SHA-256 of all
/// these (32 bytes). A length of `UInt32.max` without a payload marks a deletion: older copies, which could not be
/// removed, do not count.
enum Envelope {
    /// The reason why a text is not a valid record.
    enum Flaw: Error, Equatable {
        /// The text is empty.
        case empty
        case damaged(String)
        case newer(String)
        /// An intact record of another key.
        case foreign
        /// The intact mark of a deletion.
        case deleted(Revision)
    }

    private static let format = FormatPrefix(family: "SharedAuth", version: 1)
    private static let prefix = format.bytes
    private static let headSize = 8 + 8 + 16 + 4
    private static let sumSize = Checksum.size

    static func seal(_ record: Record, for key: RecordKey) -> String {
        seal(record.payload, length: UInt32(truncatingIfNeeded: record.payload.count), record.revision, for: key)
    }

    /// Returns the mark of a deletion.
    static func sealDeletion(_ revision: Revision, of key: RecordKey) -> String {
        seal([], length: deletion, revision, for: key)
    }

    private static let deletion = UInt32.max

    private static func seal(
        _ payload: [UInt8],
        length: UInt32,
        _ revision: Revision,
        for key: RecordKey
    ) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headSize + payload.count + sumSize)
        bytes.append(bigEndian: revision.counter)
        bytes.append(bigEndian: revision.nonce)
        bytes += key.digest
        bytes.append(bigEndian: length)
        bytes += payload
        bytes += Checksum.sha256(bytes)
        return String(decoding: prefix, as: UTF8.self) + Base64URL.encode(bytes)
    }

    static func open(_ text: [UInt8], for key: RecordKey) throws(Flaw) -> Record {
        guard !text.isEmpty else { throw .empty }
        if text.starts(with: prefix) { return try open(body: text.dropFirst(prefix.count), for: key) }
        guard let newer = format.newerVersion(in: text) else { throw .damaged("it does not begin as a record does") }
        // A newer format differs from this one in more than its version number.
        if (try? open(body: newer.body, for: key)) != nil { throw .damaged("the number of its version was changed") }
        throw .newer("its envelope is of version \(newer.number)")
    }

    private static func open(body text: ArraySlice<UInt8>, for key: RecordKey) throws(Flaw) -> Record {
        guard let bytes = Base64URL.decode(Array(text)) else {
            throw .damaged("it is not base64url throughout")
        }
        guard bytes.count >= headSize + sumSize else { throw .damaged("it is cut short") }
        let body = bytes.dropLast(sumSize)
        guard Checksum.sha256(body).elementsEqual(bytes.suffix(sumSize)) else {
            throw .damaged("its checksum is wrong")
        }
        let payload = body.dropFirst(headSize)
        let length = UInt32(bigEndian: body[32..<36])
        let isDeletion = length == deletion && payload.isEmpty
        guard isDeletion || length == UInt32(truncatingIfNeeded: payload.count) else {
            throw .damaged("its length is wrong")
        }
        guard body[16..<32].elementsEqual(key.digest) else { throw .foreign }
        let revision = Revision(counter: UInt64(bigEndian: body[0..<8]), nonce: UInt64(bigEndian: body[8..<16]))
        guard revision.isPlausible else { throw .damaged("its counter is out of range") }
        if isDeletion { throw .deleted(revision) }
        return Record(payload: Array(payload), revision: revision)
    }
}
