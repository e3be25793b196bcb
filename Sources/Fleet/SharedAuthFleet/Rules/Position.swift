internal import SharedAuthRecords

/// The place of a write among the writes of one record: the epoch of the key that sealed it, and its revision.
///
/// The epoch grows when a device is removed, the counter with each write. The nonce tells two writes apart that took
/// the same place, as happens after the server was restored from a backup.
struct Position: Sendable, Hashable, Codable {
    let epoch: UInt64
    let revision: Revision

    /// Returns whether this write comes after another one of the same record.
    func isLater(than other: Position) -> Bool {
        (epoch, revision.counter) > (other.epoch, other.revision.counter)
    }

    /// Returns the revision of a write that comes after both of these.
    static func revision(after first: Position?, _ second: Position?, nonce: UInt64) -> Revision {
        let last = max(first?.revision.counter ?? 0, second?.revision.counter ?? 0)
        return Revision(counter: last + 1, nonce: nonce)
    }
}
