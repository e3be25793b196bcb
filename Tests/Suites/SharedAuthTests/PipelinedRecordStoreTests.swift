import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Behavior that callers may expect of every store, whether or not it saves round trips.
struct PipelinedRecordStoreTests {
    private let deadline = Deadline.patient

    @Test("A store with only the required methods reads two records one after the other")
    func readsBoth() throws {
        let calls = FaultInjectingStore()
        let store = PlainStore(calls)
        try store.update(.mail, by: deadline) { _ in .write([1]) }
        calls.takeCalls()
        store.expectRecord(of: .mail)
        let (mail, other) = store.read(.mail, and: .other, by: deadline)
        guard case .whole(let record) = try mail.get(), case .none = try other.get() else {
            Issue.record("found \(mail) and \(other)")
            return
        }
        #expect(record.payload == [1])
        #expect(calls.takeCalls() == [.read, .read])
    }

    @Test("Without pipelining, the look follows the lock once, and the watch is ordinary")
    func looksLater() throws {
        let calls = FaultInjectingStore()
        let store = PlainStore(calls)
        let (lock, seen) = try store.acquire("x", for: .mail, by: deadline) { calls.takeCalls() }
        #expect(seen == [.acquire("x")])
        lock.release()
        try store.watchBeforeReading(.mail, by: deadline) { _ in }.cancel()
        #expect(calls.takeCalls() == [.watch])
    }

    @Test("A store that saves round trips does so behind the same methods")
    func forwards() throws {
        let quick = QuickStore()
        let store: any RecordStore = quick
        store.expectRecord(of: .mail)
        _ = store.read(.mail, and: .other, by: deadline)
        try store.acquire("x", for: .mail, by: deadline) {}.lock.release()
        _ = try store.watchBeforeReading(.mail, by: deadline) { _ in }
        #expect(quick.calls.withLock { $0 } == ["expected", "together", "looking x", "no wait"])
    }
}

/// A store that implements the pipelined calls.
private final class QuickStore: ForwardingRecordStore, PipelinedRecordStore {
    let calls = Mutex<[String]>([])
    let base = InMemoryRecordStore()

    func readTogether(
        _ key: RecordKey,
        _ other: RecordKey,
        by deadline: Deadline
    ) -> (Result<StoredRecord, RecordStoreError>, Result<StoredRecord, RecordStoreError>) {
        calls.withLock { $0.append("together") }
        return (.success(.none), .success(.none))
    }

    func noteExpected(_ key: RecordKey) { calls.withLock { $0.append("expected") } }

    func acquireLooking<Seen>(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline,
        _ look: () -> Seen
    ) throws(RecordStoreError) -> (lock: any RecordLock, seen: Seen) {
        calls.withLock { $0.append("looking \(name)") }
        return (try base.acquire(name, for: key, by: deadline), look())
    }

    func watchWithoutWaiting(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        calls.withLock { $0.append("no wait") }
        return try base.watch(key, by: deadline, handler)
    }
}
