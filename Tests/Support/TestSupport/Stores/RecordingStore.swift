internal import Glibc
package import SecretService
package import SharedAuth
internal import Synchronization

/// A store that remembers each update of a slot in front of another store.
package final class RecordingStore<Base: RecordStore>: ForwardingRecordStore {
    package let base: Base
    private let updates = Mutex<[HistoryAct.Update]>([])

    package init(_ base: Base) { self.base = base }

    @discardableResult
    package func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        guard key.kind == "user" else { return try base.update(key, by: deadline, decide) }
        let began = Monotonic.now()
        var before: StoredRecord?
        var after: [UInt8]?
        let stored = try base.update(key, by: deadline) { found in
            let change = decide(found)
            (before, after) = (found, payload(of: found, after: change))
            return change
        }
        let update = HistoryAct.Update(
            key.scopeName,
            from: text(of: before.flatMap { payload(of: $0, after: .keep) }),
            to: text(of: after),
            began: began,
            ended: Monotonic.now()
        )
        updates.withLock { $0.append(update) }
        return stored
    }

    /// Takes the updates that have ended.
    package func takeUpdates() -> [HistoryAct.Update] {
        updates.withLock { updates in
            defer { updates = [] }
            return updates
        }
    }

    private func payload(of stored: StoredRecord, after change: RecordChange) -> [UInt8]? {
        switch change {
        case .write(let bytes), .replaceDamaged(let bytes): return bytes
        case .delete, .removeDamaged: return nil
        case .keep:
            guard case .whole(let record) = stored else { return nil }
            return record.payload
        }
    }

    private func text(of payload: [UInt8]?) -> String? {
        payload.flatMap { try? UserRecord(decoding: $0) }.flatMap(SlotText.of)
    }
}

extension RecordingStore: RecordListing where Base: RecordListing {}

/// A clock that all processes of the machine share, in nanoseconds.
package enum Monotonic {
    package static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
