/// What was found under a key.
public enum StoredRecord: Sendable {
    /// Nothing.
    case none
    /// A record that passed its checks.
    case whole(Record)
    /// Something that is not a record; the text says why.
    case damaged(String)
    /// A record in a format that is newer than this library.
    case newer(String)
}
