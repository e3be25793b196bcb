package import SecretService
package import SharedAuth
internal import Synchronization

/// A store in memory, seen through: what is written is noted, writing or reading can be made to fail, and others can act in
/// between.
package final class TappedStore: ForwardingRecordStore {
    private struct State {
        var writes: [RecordKey] = []
        var reads = 0
        var deadlines: Set<Deadline> = []
        var interruption: Interruption?
        var winner: (@Sendable (any RecordStore) -> Void)?
        var failsNextWatch = false
        var remainingWrites: Int?
        var failure: RecordStoreError?
        var failsOnlyWrites = false

        /// Why a write fails.
        var writeError: RecordStoreError? {
            failure ?? (remainingWrites == 0 ? RecordStoreError(.unavailable, "The process is dead.") : nil)
        }
        /// Why any call fails.
        var error: RecordStoreError? { failsOnlyWrites ? nil : writeError }
    }

    private struct Interruption {
        let condition: @Sendable (RecordKey) -> Bool
        let isOnce: Bool
        let act: @Sendable (RecordKey) -> Void
    }

    package let base: InMemoryRecordStore
    private let state = Mutex(State())

    private let isForgetful: Bool

    /// Makes one; if it is forgetful, it answers as a store whose daemon forgets what it has acknowledged.
    package init(_ base: InMemoryRecordStore = InMemoryRecordStore(), isForgetful: Bool = false) {
        self.base = base
        self.isForgetful = isForgetful
    }

    /// The keys written since the last call, in order.
    package func takeWrites() -> [RecordKey] {
        state.withLock { state in
            defer { state.writes = [] }
            return state.writes
        }
    }

    package func takeReads() -> Int {
        state.withLock { state in
            defer { state.reads = 0 }
            return state.reads
        }
    }

    /// The deadlines that calls came with since the last call.
    package func takeDeadlines() -> Set<Deadline> {
        state.withLock { state in
            defer { state.deadlines = [] }
            return state.deadlines
        }
    }

    /// Lets somebody act just before a key is read of which this is so; once, or each time.
    package func interrupt(
        beforeReading condition: @escaping @Sendable (RecordKey) -> Bool = { _ in true },
        once isOnce: Bool = true,
        _ act: @escaping @Sendable (RecordKey) -> Void
    ) {
        state.withLock { $0.interruption = Interruption(condition: condition, isOnce: isOnce, act: act) }
    }

    /// Lets another process come first at the next update, which then ends in a conflict.
    package func loseNextUpdate(to winner: @escaping @Sendable (any RecordStore) -> Void) {
        state.withLock { $0.winner = winner }
    }

    /// After so many writes more, everything fails, as for a process that was killed.
    package func die(after writes: Int?) { state.withLock { $0.remainingWrites = writes } }

    /// Lets everything fail so, or only what would write; with nil all goes well again.
    package func fail(with error: RecordStoreError?, onlyWrites: Bool = false) {
        state.withLock { ($0.failure, $0.failsOnlyWrites) = (error, onlyWrites) }
    }

    /// Lets everything fail so, or with nil go well again.
    package func fail(as code: RecordStoreError.Code?) {
        fail(with: code.map { RecordStoreError($0, "As the test wants it.") })
    }

    /// Lets the next watch fail.
    package func failNextWatch() { state.withLock { $0.failsNextWatch = true } }

    package func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        if isForgetful { return false }
        return try base.isDurableOnAcknowledge(by: deadline)
    }

    package func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        if isForgetful { return "forgetful" }
        return try base.daemon(by: deadline)
    }

    package func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        if let error = state.withLock({ $0.error }) { throw error }
        let act = state.withLock { state -> (@Sendable (RecordKey) -> Void)? in
            state.reads += 1
            state.deadlines.insert(deadline)
            guard let interruption = state.interruption, interruption.condition(key) else { return nil }
            if interruption.isOnce { state.interruption = nil }
            return interruption.act
        }
        act?(key)
        return try base.read(key, by: deadline)
    }

    package func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        if let error = state.withLock({ $0.error }) { throw error }
        let winner = state.withLock { state in
            state.deadlines.insert(deadline)
            defer { state.winner = nil }
            return state.winner
        }
        if let winner {
            winner(base)
            throw RecordStoreError(.conflict, "Another process was first.")
        }
        var death: RecordStoreError?
        let stored = try base.update(key, by: deadline) { found in
            let change = decide(found)
            if case .keep = change { return change }
            death = state.withLock { state in
                if let error = state.writeError { return error }
                if state.remainingWrites != nil { state.remainingWrites? -= 1 }
                state.writes.append(key)
                return nil
            }
            return death == nil ? change : .keep
        }
        if let death { throw death }
        return stored
    }

    package func watch(
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
    package var listsKinds: Bool { base.listsKinds }

    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> {
        try base.kinds(beginningWith: prefix, like: key, by: deadline)
    }

    package func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        try base.records(ofProject: project, instance: instance, kind: kind, by: deadline)
    }

    package func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord]
    {
        try base.setAsideRecords(of: key, by: deadline)
    }

    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        try base.discardSetAside(of: keys, by: deadline)
    }
}
