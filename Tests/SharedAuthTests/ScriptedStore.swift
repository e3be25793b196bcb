import SecretService
import SharedAuth
import Synchronization

/// A store in memory that fails where the test says.
final class ScriptedStore: RecordStore {
    private struct Script {
        var failingReads = 0
        var updated: (key: RecordKey, work: @Sendable () -> Void)?
        var deletion: (key: RecordKey, isDone: Bool, thenReads: Int)?
    }

    let inner = InMemoryRecordStore()
    private let script = Mutex(Script())

    /// Lets the next reads fail.
    func fail(reads: Int) { script.withLock { $0.failingReads = reads } }

    /// Lets something happen when a record has next been changed.
    func afterNextUpdate(of key: RecordKey, _ work: @escaping @Sendable () -> Void) {
        script.withLock { $0.updated = (key, work) }
    }

    /// Lets the next change that deletes a record end with an error, done or not, and so the reads that come then.
    func failDeletion(of key: RecordKey, isDone: Bool, thenReads: Int = 0) {
        script.withLock { $0.deletion = (key, isDone, thenReads) }
    }

    var kind: RecordStoreKind { inner.kind }

    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        let fails = script.withLock { script in
            guard script.failingReads > 0 else { return false }
            script.failingReads -= 1
            return true
        }
        if fails { throw RecordStoreError(.failed, "The test lets it fail.") }
        return try inner.read(key, by: deadline)
    }

    func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        var deletes = false
        let deletion = script.withLock { $0.deletion.flatMap { $0.key == key ? $0 : nil } }
        let stored = try inner.update(key, by: deadline) { found in
            let change = decide(found)
            if case .delete = change { deletes = true }
            return deletes && deletion?.isDone == false ? .keep : change
        }
        if deletes, deletion != nil {
            script.withLock { script in
                script.failingReads = deletion?.thenReads ?? 0
                script.deletion = nil
            }
            throw RecordStoreError(.failed, "The test lets it fail.")
        }
        let updated = script.withLock { script -> (@Sendable () -> Void)? in
            guard script.updated?.key == key else { return nil }
            defer { script.updated = nil }
            return script.updated?.work
        }
        updated?()
        return stored
    }

    func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> any RecordLock {
        try inner.acquire(name, for: key, by: deadline)
    }

    func unlock(by deadline: Deadline) throws(RecordStoreError) {}

    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try inner.watch(key, by: deadline, handler)
    }
}
