package import SecretService
package import SharedAuth
internal import Synchronization

/// Memory that fails as a test says, and may count as a daemon's, which forgets what it has acknowledged.
package final class ScriptedStore: RecordStore {
    private struct Script {
        var run = 1
        var failingReads = 0
        var refused: RecordKey?
        var updated: (key: RecordKey, work: @Sendable () -> Void)?
        var deletion: (key: RecordKey, isDone: Bool, thenReads: Int)?
    }

    package let inner = InMemoryRecordStore()
    private let countsAsDaemon: Bool
    private let script = Mutex(Script())

    package init(countsAsDaemon: Bool = false) { self.countsAsDaemon = countsAsDaemon }

    /// From now on another run of the daemon answers.
    package func restart() { script.withLock { $0.run += 1 } }

    /// Lets the next reads fail.
    package func fail(reads: Int) { script.withLock { $0.failingReads = reads } }

    /// Lets every change of this record fail.
    package func refuse(_ key: RecordKey?) { script.withLock { $0.refused = key } }

    /// Lets something happen when a record has next been changed.
    package func afterNextUpdate(of key: RecordKey, _ work: @escaping @Sendable () -> Void) {
        script.withLock { $0.updated = (key, work) }
    }

    /// Lets the next change that deletes a record end with an error, done or not, and so the reads that come then.
    package func failDeletion(of key: RecordKey, isDone: Bool, thenReads: Int = 0) {
        script.withLock { $0.deletion = (key, isDone, thenReads) }
    }

    package var kind: RecordStoreKind { inner.kind }

    package func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? {
        countsAsDaemon ? "run \(script.withLock { $0.run })" : nil
    }

    package func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool { !countsAsDaemon }

    package func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        let fails = script.withLock { script in
            guard script.failingReads > 0 else { return false }
            script.failingReads -= 1
            return true
        }
        if fails { throw Self.failure }
        return try inner.read(key, by: deadline)
    }

    package func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        if script.withLock({ $0.refused == key }) { throw Self.failure }
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
            throw Self.failure
        }
        let updated = script.withLock { script -> (@Sendable () -> Void)? in
            guard script.updated?.key == key else { return nil }
            defer { script.updated = nil }
            return script.updated?.work
        }
        updated?()
        return stored
    }

    package func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        try inner.acquire(name, for: key, by: deadline)
    }

    package func unlock(by deadline: Deadline) throws(RecordStoreError) {}

    package func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        try inner.watch(key, by: deadline, handler)
    }

    private static var failure: RecordStoreError { RecordStoreError(.failed, "The test lets it fail.") }
}
