package import SecretService
package import SharedAuth
internal import Synchronization

/// A store in memory that says a number of times that there is no record, although there is one.
package final class FalselyEmptyStore: ForwardingRecordStore {
    package let base = InMemoryRecordStore()
    private let state = Mutex((kind: "", left: 0, forgotten: 0))

    package init() {}

    /// Forgets records whose kind begins with a text, at the next reads and updates of one that is there.
    package func forget(_ kind: String, times: Int) { state.withLock { $0 = (kind, times, 0) } }

    /// The number of times that a record was forgotten since the last call of ``forget(_:times:)``.
    package var forgotten: Int { state.withLock { $0.forgotten } }

    private func forgets(_ key: RecordKey, _ stored: StoredRecord) -> Bool {
        guard case .whole = stored else { return false }
        return state.withLock { state in
            guard state.left > 0, key.kind.hasPrefix(state.kind) else { return false }
            (state.left, state.forgotten) = (state.left - 1, state.forgotten + 1)
            return true
        }
    }

    package func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        let stored = try base.read(key, by: deadline)
        return forgets(key, stored) ? .none : stored
    }

    @discardableResult
    package func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        var isForgotten = false
        let stored = try base.update(key, by: deadline) { stored in
            isForgotten = forgets(key, stored)
            if !isForgotten { return decide(stored) }
            // What is written then is another item, and the one that is there has the higher revision.
            _ = decide(.none)
            return .keep
        }
        return isForgotten ? .none : stored
    }
}
