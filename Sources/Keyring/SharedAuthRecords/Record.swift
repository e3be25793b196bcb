public import DesktopSupport

/// A stored record: bytes that only their owner interprets, and the revision of the write that stored them.
public struct Record: Sendable, Hashable {
    /// The content, as its owner encoded it.
    public let payload: [UInt8]
    /// The revision of the write that stored the payload.
    public let revision: Revision

    /// Creates a record.
    public init(payload: [UInt8], revision: Revision) {
        self.payload = payload
        self.revision = revision
    }

    /// The maximum size of a payload in bytes, 1 MiB. The payload's owner may set a lower limit.
    package static let largestPayload = 1 << 20
}

extension Record: Redacted {
    /// The size and the revision's counter; never the payload.
    public var description: String { "Record(\(payload.count) bytes, revision \(revision.counter))" }
}

/// The result of reading a key.
@frozen
public enum StoredRecord: Sendable {
    /// No record.
    case none
    /// An intact record.
    case whole(Record)
    /// A record of zero bytes, such as one left by a keyring that crashed while it created an item. It counts as
    /// damaged but contains nothing to lose: every write and deletion may replace it, and nothing is set aside.
    case empty
    /// Data that is not a valid record, with the reason.
    case damaged(String)
    /// A record in a newer format than this library supports, with the reason.
    case newer(String)
}

extension StoredRecord {
    /// The revision of an intact record.
    package var revision: Revision? { if case .whole(let record) = self { record.revision } else { nil } }

    /// Returns the error for a change that is not permitted on this record; nil if it is permitted.
    package func refusal(of change: RecordChange, of key: RecordKey) -> RecordStoreError? {
        if let payload = change.payload, let refusal = refusal(toHold: payload, of: key) { return refusal }
        return switch (change, self) {
        case (.keep, _): nil
        case (_, .newer(let reason)): RecordStoreError(.newerVersion, "The record is of a newer version: \(reason).")
        case (.write, .damaged(let reason)), (.delete, .damaged(let reason)):
            RecordStoreError(.damaged, "The stored record is damaged: \(reason).")
        default: nil
        }
    }

    /// Returns the error for a payload that exceeds both the limit and the size of the present record; nil if it may be
    /// stored. A record that is too long already may shrink.
    package func refusal(
        toHold payload: [UInt8],
        of key: RecordKey,
        atMost limit: Int = Record.largestPayload
    ) -> RecordStoreError? {
        let present = if case .whole(let record) = self { record.payload.count } else { 0 }
        guard payload.count > max(limit, present) else { return nil }
        return RecordStoreError(
            .failed,
            "\(key) would take \(payload.count) bytes, but the limit is \(limit).",
            remedy: "Store less data in it; the stored record was not changed."
        )
    }
}

/// The change that an update makes to a record.
@frozen
public enum RecordChange: Sendable {
    /// Leaves the record as it is.
    case keep
    /// Writes these bytes under a new revision.
    case write([UInt8])
    /// Sets the present item aside, where the user can find it in the keyring application, then writes these bytes.
    case replaceDamaged([UInt8])
    /// Deletes the record.
    case delete
    /// Sets the present item aside, and leaves the key empty.
    case removeDamaged

    /// Indicates whether the present item is set aside, and not deleted.
    var keepsCopy: Bool {
        switch self {
        case .replaceDamaged, .removeDamaged: true
        case .keep, .write, .delete: false
        }
    }

    /// The bytes to write; nil if the change writes none.
    var payload: [UInt8]? {
        switch self {
        case .write(let payload), .replaceDamaged(let payload): payload
        case .keep, .delete, .removeDamaged: nil
        }
    }
}
