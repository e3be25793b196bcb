internal import FoundationEssentials
internal import SharedAuthRecords
internal import Synchronization

/// One process's knowledge whether the copies on its device follow the server, so that a read need not ask the server.
///
/// They do while a process of the session listens, for the records that are listed among the device's copies, unless
/// the listening process could not confirm a copy. A copy is not used if this process has seen a later record.
final class Feed: Sendable {
    private struct State {
        /// The id of the device that the rest is about. A device that joins a fleet again has another.
        var device: String?
        var isLive = false
        /// The records that this process has listed among the copies and then read from the server.
        var listed: Set<RecordKey> = []
        /// The latest positions that this process has seen on the server.
        var latest: [RecordKey: Position] = [:]
        /// The times at which the listening process is known to have confirmed copies.
        var confirmations: [RecordKey: Date] = [:]
        /// The number of locks that this process holds on each record, whose reads must be exact.
        var locks: [RecordKey: Int] = [:]

        mutating func begin(_ device: String) {
            if self.device == device { return }
            (self.device, listed, latest, confirmations) = (device, [], [:], [:])
        }
    }

    private let state = Mutex(State())

    /// Notes whether a process listens for this device.
    func setLive(_ isLive: Bool, for device: String) {
        state.withLock { state in
            state.begin(device)
            state.isLive = isLive
        }
    }

    /// Notes that no process is known to listen.
    func end() { state.withLock { $0.isLive = false } }

    /// Notes a record that this process has read or written on the server.
    ///
    /// - Parameter isListed: Whether the record was listed among the device's copies before it was read.
    func note(_ key: RecordKey, at position: Position?, isListed: Bool, for device: String) {
        state.withLock { state in
            state.begin(device)
            if isListed { state.listed.insert(key) }
            guard let position else { return }
            if state.latest[key].map({ position.isLater(than: $0) }) ?? true { state.latest[key] = position }
        }
    }

    /// The times at which the listening process is known to have confirmed copies, if later than the copies tell.
    var confirmations: [RecordKey: Date] { state.withLock { $0.confirmations } }

    func confirmation(of key: RecordKey) -> Date? { state.withLock { $0.confirmations[key] } }

    /// Notes that the listening process has confirmed a copy.
    func noteConfirmation(of key: RecordKey, at time: Date) {
        state.withLock { $0.confirmations[key] = max($0.confirmations[key] ?? time, time) }
    }

    /// Returns whether a record is listed.
    func isListed(_ key: RecordKey) -> Bool { state.withLock { $0.listed.contains(key) } }

    /// Returns whether a copy may be used instead of the server's record.
    func covers(_ key: RecordKey) -> Bool {
        state.withLock { $0.isLive && $0.listed.contains(key) && $0.locks[key] == nil }
    }

    /// Returns whether this process has seen no later record than this one.
    func isLatest(_ position: Position?, of key: RecordKey) -> Bool {
        guard let latest = latestPosition(of: key) else { return true }
        return position.map { !latest.isLater(than: $0) } ?? false
    }

    /// The latest position that this process has seen on the server; nil if it has seen none.
    func latestPosition(of key: RecordKey) -> Position? { state.withLock { $0.latest[key] } }

    /// Makes reads of a record exact until ``unlock(_:)``.
    func lock(_ key: RecordKey) { state.withLock { $0.locks[key, default: 0] += 1 } }

    func unlock(_ key: RecordKey) {
        state.withLock { state in
            let count = (state.locks[key] ?? 1) - 1
            state.locks[key] = count == 0 ? nil : count
        }
    }
}
