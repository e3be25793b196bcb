import SecretService
import SharedAuth
import Synchronization

/// Another store, seen through: what is written is noted, writing or reading can be made to fail, and others can act in
/// between.
final class TappedStore: RecordStore {
    private struct State {
        var writes: [RecordKey] = []
        var reads = 0
        var deadlines: Set<Deadline> = []
        var interruption: (condition: @Sendable (RecordKey) -> Bool, act: @Sendable (RecordKey) -> Void)?
        var failsNextWatch = false
        var remainingWrites: Int?
        var failure: RecordStoreError.Code?

        var error: RecordStoreError? {
            if let failure { return RecordStoreError(failure, "As the test wants it.") }
            return remainingWrites == 0 ? RecordStoreError(.unavailable, "The process is dead.") : nil
        }
    }

    private let base: any RecordStore
    private let state = Mutex(State())

    private let isForgetful: Bool

    /// Makes one; if it is forgetful, it answers as a store whose daemon forgets what it has acknowledged.
    init(_ base: any RecordStore, isForgetful: Bool = false) {
        self.base = base
        self.isForgetful = isForgetful
    }

    /// The keys written since the last call, in order.
    func takeWrites() -> [RecordKey] {
        state.withLock { state in
            defer { state.writes = [] }
            return state.writes
        }
    }

    func takeReads() -> Int {
        state.withLock { state in
            defer { state.reads = 0 }
            return state.reads
        }
    }

    /// The deadlines that calls came with since the last call.
    func takeDeadlines() -> Set<Deadline> {
        state.withLock { state in
            defer { state.deadlines = [] }
            return state.deadlines
        }
    }

    /// Lets somebody act just before a key is read of which this is so; once.
    func interrupt(
        beforeReading condition: @escaping @Sendable (RecordKey) -> Bool,
        _ act: @escaping @Sendable (RecordKey) -> Void
    ) {
        state.withLock { $0.interruption = (condition, act) }
    }

    /// After so many writes more, everything fails, as for a process that was killed.
    func die(after writes: Int?) { state.withLock { $0.remainingWrites = writes } }

    /// Lets everything fail so, or with nil go well again.
    func fail(as code: RecordStoreError.Code?) { state.withLock { $0.failure = code } }

    /// Lets the next watch fail.
    func failNextWatch() { state.withLock { $0.failsNextWatch = true } }

    var kind: RecordStoreKind { base.kind }

    func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        if isForgetful { return false }
        return try base.isDurableOnAcknowledge(by: deadline)
    }

    func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        if isForgetful { return "forgetful" }
        return try base.daemon(by: deadline)
    }

    func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        if let error = state.withLock({ $0.error }) { throw error }
        let act = state.withLock { state in
            state.reads += 1
            state.deadlines.insert(deadline)
            let isTime = state.interruption?.condition(key) ?? false
            defer { if isTime { state.interruption = nil } }
            return isTime ? state.interruption?.act : nil
        }
        act?(key)
        return try base.read(key, by: deadline)
    }

    func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        if let error = state.withLock({ $0.error }) { throw error }
        state.withLock { _ = $0.deadlines.insert(deadline) }
        var death: RecordStoreError?
        let stored = try base.update(key, by: deadline) { found in
            let change = decide(found)
            if case .keep = change { return change }
            death = state.withLock { state in
                if let error = state.error { return error }
                if state.remainingWrites != nil { state.remainingWrites? -= 1 }
                state.writes.append(key)
                return nil
            }
            return death == nil ? change : .keep
        }
        if let death { throw death }
        return stored
    }

    func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> any RecordLock {
        try base.acquire(name, for: key, by: deadline)
    }

    func unlock(by deadline: Deadline) throws(RecordStoreError) { try base.unlock(by: deadline) }

    func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        let fails = state.withLock { state in
            defer { state.failsNextWatch = false }
            return state.failsNextWatch
        }
        if fails { throw RecordStoreError(.unavailable, "Nothing can be watched.") }
        return try base.watch(key, by: deadline, handler)
    }
}

extension TappedStore: RecordListing {
    var listsKinds: Bool { (base as? any RecordListing)?.listsKinds ?? false }

    func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> {
        try (base as? any RecordListing)?.kinds(beginningWith: prefix, like: key, by: deadline) ?? []
    }

    func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        try base.listRecords(ofProject: project, instance: instance, kind: kind, by: deadline)
    }

    func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord] {
        try (base as? any RecordListing)?.setAsideRecords(of: key, by: deadline) ?? []
    }

    func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        try (base as? any RecordListing)?.discardSetAside(of: keys, by: deadline)
    }
}
