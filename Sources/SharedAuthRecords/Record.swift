/// What a store holds under a key: bytes that only their owner understands, and the revision that wrote them.
public struct Record: Sendable, Hashable {
    /// The bytes.
    public let payload: [UInt8]
    /// The write that put them there.
    public let revision: Revision

    /// Makes a record.
    public init(payload: [UInt8], revision: Revision) {
        self.payload = payload
        self.revision = revision
    }

    /// The most bytes that a store lets a record grow to, 1 MiB; who knows what the bytes are may set a lower limit.
    package static let largestPayload = 1 << 20
}

extension Record: CustomStringConvertible, CustomReflectable {
    /// The size and the counter; never the payload.
    public var description: String { "Record(\(payload.count) bytes, revision \(revision.counter))" }
    /// Nothing: payloads are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What was found under a key.
@frozen
public enum StoredRecord: Sendable {
    /// Nothing.
    case none
    /// A record that passed its checks.
    case whole(Record)
    /// A record without a byte, as a keyring that dies while it makes an item may leave. It is damaged, but holds nothing to lose:
    /// every write and deletion may replace it, and nothing is set aside.
    case empty
    /// Something that is not a record; the text says why.
    case damaged(String)
    /// A record in a format that is newer than this library.
    case newer(String)
}

extension StoredRecord {
    /// The revision of a whole record.
    package var revision: Revision? { if case .whole(let record) = self { record.revision } else { nil } }

    /// Why a change may not be made of what is stored.
    func refusal(of change: RecordChange, of key: RecordKey) -> RecordStoreError? {
        if let payload = change.payload, let refusal = refusal(toHold: payload, of: key) { return refusal }
        return switch (change, self) {
        case (.keep, _): nil
        case (_, .newer(let reason)): RecordStoreError(.newerVersion, "The record is of a newer version: \(reason).")
        case (.write, .damaged(let reason)), (.delete, .damaged(let reason)):
            RecordStoreError(.damaged, "The stored record is damaged: \(reason).")
        default: nil
        }
    }

    /// Why these bytes may not be stored in the place of this record: they are more than the limit, and more than are
    /// there. What is too long already may shrink.
    package func refusal(
        toHold payload: [UInt8],
        of key: RecordKey,
        atMost limit: Int = Record.largestPayload
    ) -> RecordStoreError? {
        let present = if case .whole(let record) = self { record.payload.count } else { 0 }
        guard payload.count > max(limit, present) else { return nil }
        return RecordStoreError(
            .failed,
            "\(key) would take \(payload.count) bytes, and at most \(limit) are stored.",
            remedy: "Store less in it; what was stored is as it was."
        )
    }
}

/// What an update does with the record it was shown.
@frozen
public enum RecordChange: Sendable {
    /// Leave it.
    case keep
    /// Write these bytes under a new revision.
    case write([UInt8])
    /// Set what is there aside, where the person can find it in their keyring application, then write these bytes.
    case replaceDamaged([UInt8])
    /// Delete it.
    case delete
    /// Set what is there aside, and leave the key empty.
    case removeDamaged

    /// The bytes that it writes.
    var payload: [UInt8]? {
        switch self {
        case .write(let payload), .replaceDamaged(let payload): payload
        case .keep, .delete, .removeDamaged: nil
        }
    }
}
