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

    /// Returns the position of a write in an epoch that comes after both of these. A write of another epoch does not
    /// count: a counter that a removed device has used up ends with its epoch.
    static func next(in epoch: UInt64, after first: Position?, _ second: Position?, nonce: UInt64) -> Position {
        let last = [first, second].compactMap(\.self).filter { $0.epoch == epoch }.map(\.revision.counter).max() ?? 0
        let counter = min(last, Revision.counters.upperBound - 1) + 1
        return Position(epoch: epoch, revision: Revision(counter: counter, nonce: nonce))
    }
}
