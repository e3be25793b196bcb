package import FoundationEssentials

/// A store that returns copies of records while its server is away.
package protocol CopyingRecordStore: RecordStore {
    /// Returns the time at which the server confirmed the copy that was last read under `key`, if the server was away;
    /// nil otherwise. Never waits.
    func asOf(_ key: RecordKey) -> Date?
}
