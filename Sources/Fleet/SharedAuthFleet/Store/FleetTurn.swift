internal import Crypto
internal import DesktopSupport
internal import FoundationEssentials
public import SharedAuthRecords
internal import Synchronization

extension FleetRecordStore {
    /// Waits for the lock of this name among all devices, as long as the server can be used.
    ///
    /// - Throws: `timedOut` if another device or process holds it until the deadline, or if another device began to
    ///   exchange the tokens and has not finished; `unavailable` if the server cannot be used.
    public func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        guard isShared(key) else { return try records.store.acquire(name, for: key, by: deadline) }
        // Between the processes of this device, the local store's lock decides. A stopped process keeps that.
        let lock = try records.store.acquire("fleet_\(name)", for: records.copyKey(of: key), by: deadline)
        do throws(RecordStoreError) {
            return try FleetTurn(name, for: key, with: lock, in: self, by: deadline)
        } catch {
            lock.release()
            throw error
        }
    }
}

extension FleetRecordStore {
    /// Removes, in the background, the note about an exchange of this device whose turn is over.
    fileprivate func endLostExchange(of name: [UInt8], then body: @escaping @Sendable () -> Void) {
        startThread(named: "fleet-release") { [self] in
            let deadline = Deadline.after(.seconds(5))
            // Without the server the note stays; the device's next turn removes it.
            try? withServer(by: deadline) { membership throws(FleetError) in
                let device = membership.device.keys.id
                try membership.session.endExchange(of: name, by: device, deadline: deadline)
            }
            body()
        }
    }

    /// The turn to exchange the tokens of a record, if this store holds it.
    func turn(for key: RecordKey) -> FleetTurn? { turns.withLock { $0[key]?.turn } }
}

/// A reference to a turn that does not keep it.
struct WeakTurn: Sendable {
    weak var turn: FleetTurn?
}

/// A row that the server locks for this process, in the transaction in which new tokens are written.
///
/// The server ends the transaction if nothing happens in it for too long, as when this process is stopped. Tokens are
/// then not written in it.
final class FleetTurn: RecordLock {
    let key: RecordKey
    private let name: [UInt8]
    private let row: [UInt8]
    private let isForTokens: Bool
    private let store: FleetRecordStore
    private let local: any RecordLock
    /// The connection of the transaction; nil once the turn is over.
    private let membership: Mutex<Membership?>
    private let isReleased = Atomic(false)

    fileprivate init(
        _ purpose: String,
        for key: RecordKey,
        with local: any RecordLock,
        in store: FleetRecordStore,
        by deadline: Deadline
    ) throws(RecordStoreError) {
        (self.key, self.store, self.local) = (key, store, local)
        isForTokens = purpose == "refresh"
        let membership = try store.connect(by: deadline, isNew: true)
        name = membership.keys.name(of: key)
        row = Array(SHA256.hash(data: Data(name) + Data(purpose.utf8)))
        self.membership = Mutex(membership)
        store.feed.lock(key)
        do throws(FleetError) {
            try membership.session.begin(by: deadline)
            if purpose == "lock" {
                _ = try membership.session.lock(name, by: deadline)
            } else {
                try membership.session.lockTurn(row, by: deadline)
            }
            if isForTokens { try beginExchange(by: deadline) }
        } catch {
            membership.session.close()
            guard error.code == .conflict else { throw RecordStoreError(error) }
            throw RecordStoreError(.timedOut, error.message, remedy: error.remedy, underlying: error)
        }
        if isForTokens { store.turns.withLock { $0[key] = WeakTurn(turn: self) } }
    }

    /// Notes on another connection that this device exchanges the tokens: the note outlives a crash of the device.
    private func beginExchange(by deadline: Deadline) throws(FleetError) {
        let outcome: Result<String?, RecordStoreError> = Result { () throws(RecordStoreError) in
            try store.withServer(by: deadline) { other throws(FleetError) in
                let own = other.device.keys.id
                var noted: String?
                // A note that names no device of the fleet is absent.
                for _ in 1...2 {
                    noted = try other.session.beginExchange(of: name, by: own, replacing: noted, deadline: deadline)
                    guard let noted, !ExchangeRule.mayExchange(begunBy: noted, own) else { return nil }
                    if let device = other.deviceName(noted) { return device }
                    try other.catchUp(in: store.records, by: deadline)
                    if let device = other.deviceName(noted) { return device }
                }
                return "that was removed"
            }
        }
        switch outcome {
        case .success(nil): return
        case .success(.some(let device)):
            throw FleetError(
                .exchangeInterrupted,
                "The device \(device) began to exchange the tokens and has not finished.",
                remedy: "Start that device and let it connect, or sign in again."
            )
        case .failure(let error): throw FleetError(error)
        }
    }

    /// Changes the record in the turn's transaction if the change brings tokens.
    ///
    /// - Returns: The record afterwards; nil if the change is to be made elsewhere: it brings no tokens, or the turn is
    ///   over.
    func update(_ decision: UpdateDecision, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord? {
        guard isForTokens else { return nil }
        return try membership.withLock { membership -> Result<StoredRecord?, RecordStoreError> in
            guard let present = membership else { return .success(nil) }
            keepTokens(of: decision, by: deadline)
            var isWriting = false
            do throws(FleetError) {
                try present.session.mark(by: deadline)
                let found = try present.session.lock(name, by: deadline)
                guard try present.isCurrent(by: deadline) else {
                    try present.session.undo(by: deadline)
                    return .success(nil)
                }
                let change = try decide(decision, on: found, present, by: deadline)
                guard change.bringsTokens else {
                    try present.session.undo(by: deadline)
                    return .success(nil)
                }
                isWriting = true
                let stored = try store.write(key, named: name, over: found, through: present, decision, by: deadline) {
                    () throws(FleetError) in try present.session.undo(by: deadline)
                }
                // The tokens are written. The turn continues if no other device waits for it.
                try? reacquire(present)
                if !present.session.isUsable { membership = nil }
                return .success(stored)
            } catch {
                // The server has ended the turn, or cannot be used. A decision that was not made yet is made elsewhere.
                present.session.close()
                membership = nil
                return isWriting ? .failure(RecordStoreError(error)) : .success(nil)
            }
        }.get()
    }

    /// Makes the decision on the copy if that is the record that this process has read last, and keeps its tokens there.
    /// If the process is killed during a statement of the change, its device still has them.
    private func keepTokens(of decision: UpdateDecision, by deadline: Deadline) {
        guard let copy = try? store.records.copy(of: key, by: deadline).state, let position = copy.copy?.position,
            position == store.feed.latestPosition(of: key)
        else { return }
        let change = decision.make(on: copy.shown, revision: copy.shownRecord.revision, base: position)
        guard change.bringsTokens, let content = change.after else { return }
        _ = try? store.records.updateCopy(of: key, by: deadline) { $0.state.keepTokens(of: content) }
    }

    private func decide(
        _ decision: UpdateDecision,
        on found: ServerRecord,
        _ membership: Membership,
        by deadline: Deadline
    ) throws(FleetError) -> UpdateDecision.Change {
        let stored = membership.open(found, named: name)
        var copy = try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
            try store.records.copy(of: key, by: deadline)
        }
        let content = copy.state.meet(stored, epoch: membership.keys.epoch).content
        let revision = stored?.position.revision ?? copy.state.copy?.position.revision
        return decision.make(on: content, revision: revision, base: stored?.position)
    }

    private func reacquire(_ membership: Membership) throws(FleetError) {
        let soon = Deadline.after(.milliseconds(200))
        do throws(FleetError) {
            try membership.session.begin(by: soon)
            try membership.session.lockTurn(row, by: soon)
        } catch {
            membership.session.close()
            throw error
        }
    }

    deinit { release() }

    func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let ended = membership.withLock { membership -> Membership? in
            defer { membership = nil }
            return membership
        }
        store.feed.unlock(key)
        store.turns.withLock { turns in
            if turns[key]?.turn == nil || turns[key]?.turn === self { turns[key] = nil }
        }
        let (name, isForTokens, local) = (name, isForTokens, local)
        guard let ended else {
            if isForTokens { store.endLostExchange(of: name) { local.release() } } else { local.release() }
            return
        }
        let device = ended.device.keys.id
        // The caller does not wait for the server. A shared queue may have no thread left while callers wait for turns.
        startThread(named: "fleet-release") {
            let deadline = Deadline.after(.seconds(5))
            if isForTokens { try? ended.session.endExchange(of: name, by: device, deadline: deadline) }
            try? ended.session.commit(by: deadline)
            ended.session.close()
            local.release()
        }
    }
}
