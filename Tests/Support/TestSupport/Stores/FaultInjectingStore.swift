internal import Dispatch
package import SecretService
package import SharedAuth
internal import Synchronization

/// A store in front of another one. A test makes calls fail or wait, acts before and after them, and reads which were
/// made.
///
/// A rule applies to the next calls of a kind, up to a number, and may name the key. Rules apply in the order in which
/// they were added.
package final class FaultInjectingStore<Base: RecordStore>: ForwardingRecordStore {
    private struct State {
        var rules: [Rule] = []
        var ruleCount = 0
        var run = 1
        var calls: [StoreCall] = []
        var deadlines: Set<Deadline> = []
        var writes: [RecordKey] = []
        var lastChange: RecordChange?
    }

    private struct Rule {
        let number: Int
        let call: StoreCall
        let isAfter: Bool
        let applies: @Sendable (RecordKey) -> Bool
        /// The number of times that the rule still applies; nil means always.
        var remaining: Int?
        let act: Act
    }

    /// An act at a call: invisible to the caller, a result in place of the store's, or an error.
    private typealias Act = @Sendable (RecordKey) throws(RecordStoreError) -> StoredRecord?

    package let base: Base
    private let isDurable: Bool?
    private let daemon: String?
    private let countsRuns: Bool
    private let state = Mutex(State())

    /// Makes a store in front of `base`. It reports the daemon and the durability of `base`, unless they are given
    /// here. If it counts runs, each run of the daemon has a name.
    package init(
        _ base: Base = InMemoryRecordStore(),
        isDurable: Bool? = nil,
        daemon: String? = nil,
        countsRuns: Bool = false
    ) {
        self.base = base
        self.isDurable = isDurable
        self.daemon = daemon
        self.countsRuns = countsRuns
    }

    // MARK: Rules

    /// Acts before calls.
    package var before: Moment { Moment(store: self, isAfter: false) }

    /// Acts after reads and updates that were carried out.
    package var after: Moment { Moment(store: self, isAfter: true) }

    /// The moment of a call at which a test acts.
    package struct Moment {
        fileprivate let store: FaultInjectingStore
        fileprivate let isAfter: Bool

        /// Acts at the next calls of a kind: at one, at a number of them, or with nil at all.
        package func callAsFunction(
            _ call: StoreCall,
            of key: RecordKey? = nil,
            where applies: @escaping @Sendable (RecordKey) -> Bool = { _ in true },
            times: Int? = 1,
            _ act: @escaping @Sendable (RecordKey) -> Void
        ) {
            store.add(call, isAfter: isAfter, of: key, where: applies, times) { key in
                act(key)
                return nil
            }
        }
    }

    /// Makes the next calls of a kind fail: one, a number of them, or with nil all. With `isDone`, they are carried out
    /// first.
    package func fail(
        _ call: StoreCall,
        of key: RecordKey? = nil,
        times: Int? = nil,
        isDone: Bool = false,
        with error: RecordStoreError = RecordStoreError(.failed, "The test makes it fail.")
    ) {
        add(call, isAfter: isDone, of: key, times) { _ throws(RecordStoreError) in throw error }
    }

    /// Makes every read and update fail.
    package func fail(with error: RecordStoreError) {
        for call in [StoreCall.read, .update, .write] { fail(call, with: error) }
    }

    /// Makes every read and update fail.
    package func fail(as code: RecordStoreError.Code) { fail(with: RecordStoreError(code, "The test makes it fail.")) }

    /// Makes every read and update fail after this many writes, as for a process that was killed.
    package func die(after writes: Int) {
        guard writes > 0 else { return fail(with: RecordStoreError(.unavailable, "The process is dead.")) }
        before(.write) { [weak self] _ in self?.die(after: writes - 1) }
    }

    /// Returns `stored` for all reads or updates in place of the store's result. Such an update makes no decision.
    package func answer(_ call: StoreCall, with stored: StoredRecord) {
        add(call, isAfter: false, nil) { _ in stored }
    }

    /// Makes every call of a kind wait.
    ///
    /// - Returns: A function that lets them continue.
    package func hold(_ call: StoreCall) -> @Sendable () -> Void {
        let mayGoOn = DispatchSemaphore(value: 0)
        before(call, times: nil) { _ in
            mayGoOn.wait()
            mayGoOn.signal()
        }
        return { mayGoOn.signal() }
    }

    /// Runs `act` at every call of a kind. A call fails with the error that `act` throws.
    package func intercept(
        _ call: StoreCall,
        isAfter: Bool = false,
        _ act: @escaping @Sendable (RecordKey) throws(RecordStoreError) -> Void
    ) {
        add(call, isAfter: isAfter, nil) { key throws(RecordStoreError) in
            try act(key)
            return nil
        }
    }

    /// Removes all rules.
    package func mend() { state.withLock { $0.rules = [] } }

    /// Starts another run of the daemon.
    package func restart() { state.withLock { $0.run += 1 } }

    private func add(
        _ call: StoreCall,
        isAfter: Bool,
        of key: RecordKey? = nil,
        where applies: @escaping @Sendable (RecordKey) -> Bool = { _ in true },
        _ times: Int?,
        _ act: @escaping Act
    ) {
        state.withLock { state in
            state.ruleCount += 1
            state.rules.append(
                Rule(
                    number: state.ruleCount,
                    call: call,
                    isAfter: isAfter,
                    applies: { (key == nil || $0 == key) && applies($0) },
                    remaining: times,
                    act: act
                )
            )
        }
    }

    /// Applies the rules for a call. Each may add rules, which apply to later calls.
    private func apply(
        _ call: StoreCall,
        _ key: RecordKey,
        isAfter: Bool = false
    ) throws(RecordStoreError) -> StoredRecord? {
        let numbers = state.withLock { state in
            state.rules.filter { $0.call == call && $0.isAfter == isAfter && $0.applies(key) }.map(\.number)
        }
        for number in numbers {
            let act = state.withLock { state -> Act? in
                guard let index = state.rules.firstIndex(where: { $0.number == number }) else { return nil }
                let rule = state.rules[index]
                if let remaining = rule.remaining {
                    state.rules[index].remaining = remaining - 1
                    if remaining <= 1 { state.rules.remove(at: index) }
                }
                return rule.act
            }
            if let answer = try act?(key) { return answer }
        }
        return nil
    }

    private func note(_ call: StoreCall, by deadline: Deadline) {
        state.withLock { state in
            state.calls.append(call)
            state.deadlines.insert(deadline)
        }
    }

    // MARK: Recorded calls

    /// Takes the calls since the last time, in order.
    @discardableResult
    package func takeCalls() -> [StoreCall] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// Returns the number of calls of a kind since the calls were last taken.
    package func count(of call: StoreCall) -> Int { state.withLock { $0.calls.count { $0 == call } } }

    /// Takes the calls, and returns the number of reads among them.
    package func takeReads() -> Int { takeCalls().count { $0 == .read } }

    /// Takes the keys written since the last time, in order.
    package func takeWrites() -> [RecordKey] {
        state.withLock { state in
            defer { state.writes = [] }
            return state.writes
        }
    }

    /// Takes the change that the last update decided, if there was one since the last time.
    @discardableResult
    package func takeChange() -> RecordChange? {
        state.withLock { state in
            defer { state.lastChange = nil }
            return state.lastChange
        }
    }

    /// Takes the deadlines of the calls since the last time.
    package func takeDeadlines() -> Set<Deadline> {
        state.withLock { state in
            defer { state.deadlines = [] }
            return state.deadlines
        }
    }

    // MARK: The store

    package func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        note(.read, by: deadline)
        if let answer = try apply(.read, key) { return answer }
        let stored = try base.read(key, by: deadline)
        return try apply(.read, key, isAfter: true) ?? stored
    }

    @discardableResult
    package func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        note(.update, by: deadline)
        if let answer = try apply(.update, key) { return answer }
        var kinds: [StoreCall] = []
        var failure: RecordStoreError?
        let stored = try base.update(key, by: deadline) { found in
            let change = decide(found)
            kinds = StoreCall.kinds(of: change)
            state.withLock { $0.lastChange = change }
            do throws(RecordStoreError) {
                for kind in kinds { _ = try apply(kind, key) }
            } catch {
                failure = error
                return .keep
            }
            if !kinds.isEmpty { state.withLock { $0.writes.append(key) } }
            return change
        }
        if let failure { throw failure }
        for kind in kinds + [.update] { _ = try apply(kind, key, isAfter: true) }
        return stored
    }

    package func checkWritable(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        note(.check, by: deadline)
        _ = try apply(.check, key)
        try base.checkWritable(key, by: deadline)
    }

    package func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        note(.acquire(name), by: deadline)
        _ = try apply(.acquire(name), key)
        return try base.acquire(name, for: key, by: deadline)
    }

    package func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        note(.watch, by: deadline)
        _ = try apply(.watch, key)
        return try base.watch(key, by: deadline, handler)
    }

    package func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        if let daemon { return daemon }
        return try base.daemon(by: deadline)
    }

    package func daemonRun(by deadline: Deadline) throws(RecordStoreError) -> String? {
        if countsRuns { return "run \(state.withLock { $0.run })" }
        return try base.daemonRun(by: deadline)
    }

    package func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        if let isDurable { return isDurable }
        return try base.isDurableOnAcknowledge(by: deadline)
    }
}

/// A kind of store call. A write is an update that changes something, and a deletion is a write that deletes a record.
package enum StoreCall: Hashable, Sendable {
    case read
    case update
    case write
    case deletion
    case acquire(String)
    case watch
    /// The question before a sign-in whether a record can be written.
    case check

    /// Returns the kinds of an update with this change, besides `update`.
    fileprivate static func kinds(of change: RecordChange) -> [Self] {
        switch change {
        case .keep: []
        case .write, .replaceDamaged, .removeDamaged: [.write]
        case .delete: [.write, .deletion]
        }
    }
}

/// Lists the records of the base store, if that can list them.
extension FaultInjectingStore: RecordListing where Base: RecordListing {}
