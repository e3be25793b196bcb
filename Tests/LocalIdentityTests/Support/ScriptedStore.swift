import SecretService
import SharedAuth
import Synchronization
import TestSupport

/// A store in memory that fails as scripted, notes what is asked of it, and can run something first.
final class ScriptedStore: RecordStore {
    private struct Script {
        var failure: RecordStoreError?
        var failsOnlyWrites = false
        var writes: [String] = []
        var remaining: [Duration] = []
        var beforeRead: (@Sendable () -> Void)?
        var conflict: (@Sendable (InMemoryRecordStore) -> Void)?
    }

    let memory = InMemoryRecordStore()
    private let script = Mutex(Script())

    var kind: RecordStoreKind { .inMemory }

    /// The kinds of the records written or deleted so far.
    var writes: [String] { script.withLock { $0.writes } }
    /// The time each call had left when it came.
    var remaining: [Duration] { script.withLock { $0.remaining } }

    /// Lets every call fail, or only those that would write.
    func fail(_ failure: RecordStoreError?, onlyWrites: Bool = false) {
        script.withLock { ($0.failure, $0.failsOnlyWrites) = (failure, onlyWrites) }
    }

    /// Runs before each read.
    func beforeReads(_ work: (@Sendable () -> Void)?) { script.withLock { $0.beforeRead = work } }

    /// Lets another process come first at the next update, which then ends in a conflict.
    func conflict(_ work: @escaping @Sendable (InMemoryRecordStore) -> Void) { script.withLock { $0.conflict = work } }

    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        let work = script.withLock { script in
            script.remaining.append(deadline.remaining)
            return script.beforeRead
        }
        work?()
        if let failure = script.withLock({ $0.failsOnlyWrites ? nil : $0.failure }) { throw failure }
        return try memory.read(key, by: deadline)
    }

    func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let conflict = script.withLock { script in
            script.remaining.append(deadline.remaining)
            defer { script.conflict = nil }
            return script.conflict
        }
        if let conflict {
            conflict(memory)
            throw RecordStoreError(.conflict, "Another process was first.")
        }
        if let failure = script.withLock({ $0.failsOnlyWrites ? nil : $0.failure }) { throw failure }
        let failure = script.withLock { $0.failure }
        var refused = false
        let stored = try memory.update(key, by: deadline) { stored in
            let change = decide(stored)
            if case .keep = change { return .keep }
            if failure != nil {
                refused = true
                return .keep
            }
            script.withLock { $0.writes.append(key.kind) }
            return change
        }
        if refused, let failure { throw failure }
        return stored
    }

    func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock { try memory.acquire(name, for: key, by: deadline) }

    func unlock(by deadline: Deadline) throws(RecordStoreError) { try memory.unlock(by: deadline) }

    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch { try memory.watch(key, by: deadline, handler) }
}
