/// What an update does with the record it was shown.
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
