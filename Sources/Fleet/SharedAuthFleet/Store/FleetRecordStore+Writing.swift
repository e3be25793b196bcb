internal import DesktopSupport
internal import FoundationEssentials
public import SharedAuthRecords

/// The decision of one update, made once.
final class UpdateDecision {
    /// The change that was decided: the contents before and after, and the position that the decision was based on.
    struct Change {
        let before: UserContent?
        let after: UserContent?
        let base: Position?
        /// Indicates whether nothing is to be written.
        let keeps: Bool

        /// The sessions that end, if the change is nothing but their end; nil otherwise.
        var signOut: Set<String>? {
            let (before, after) = (before?.sessions ?? [:], after?.sessions ?? [:])
            let gone = Set(before.keys).subtracting(after.keys)
            return !gone.isEmpty && after.allSatisfy { before[$0.key] == $0.value } ? gone : nil
        }

        /// Indicates whether the change brings sessions that the record did not have: a sign-in.
        var beginsSession: Bool { !Set(after?.names ?? []).isSubset(of: before?.names ?? []) }

        /// Indicates whether the change brings tokens that the record did not have.
        var bringsTokens: Bool {
            let before = before?.sessions ?? [:]
            return (after?.sessions ?? [:]).contains { before[$0.key] != $0.value }
        }
    }

    private let decide: (StoredRecord) -> RecordChange
    private let key: RecordKey
    private(set) var change: Change?
    private(set) var refusal: RecordStoreError?

    init(_ key: RecordKey, _ decide: @escaping (StoredRecord) -> RecordChange) {
        (self.key, self.decide) = (key, decide)
    }

    /// Returns the decided change; decides it with this content if that was not done before.
    func make(on content: UserContent?, revision: Revision?, base: Position?) -> Change {
        if let change { return change }
        let stored = StoredRecord(content, revision)
        let decided = decide(stored)
        let after: UserContent?
        var keeps = false
        switch decided {
        case .keep: (after, keeps) = (content, true)
        case .write(let payload), .replaceDamaged(let payload):
            refusal = stored.refusal(toHold: payload, of: key)
            (after, keeps) = refusal == nil ? (UserContent(payload, after: content), false) : (content, true)
        case .delete, .removeDamaged: after = nil
        }
        let change = Change(before: content, after: after, base: base, keeps: keeps)
        self.change = change
        return change
    }
}

extension FleetRecordStore {
    /// Changes a record in one transaction of the server. A sign-out is always possible: if the server's record cannot be
    /// changed for whatever reason, it is noted in the copy, and carried out later.
    ///
    /// - Throws: `unavailable` if the change needs the server and that cannot be used; `denied` and `unavailable` as
    ///   ``read(_:by:)``; `failed` if the record would exceed 1 MiB; `conflict` if another device changed the record
    ///   within a turn of this one.
    @discardableResult
    public func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        guard isShared(key) else { return try records.store.update(key, by: deadline, decide) }
        return try withoutActuallyEscaping(decide) { decide in
            Result { () throws(RecordStoreError) in
                let decision = UpdateDecision(key, decide)
                let stored = try update(key, by: deadline, decision)
                if let refusal = decision.refusal { throw refusal }
                return stored
            }
        }.get()
    }

    /// Checks that the server can be used; a read may have returned this device's copy.
    ///
    /// - Throws: `unavailable` if the change needs the server and that cannot be used; `denied` if this device was
    ///   removed.
    public func checkWritable(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        guard isShared(key) else { return try records.store.checkWritable(key, by: deadline) }
        if turn(for: key) != nil { return }
        do throws(RecordStoreError) {
            try withServer(by: deadline) { membership throws(FleetError) in
                try membership.catchUp(in: records, by: deadline)
            }
        } catch {
            guard let failure = error.ofFleet, failure.isOutage else { throw error }
            throw RecordStoreError(failure.refusingChange)
        }
    }

    private func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decision: UpdateDecision
    ) throws(RecordStoreError) -> StoredRecord {
        do throws(RecordStoreError) {
            let connected = deadline.leavingTimeForCopy
            if let turn = turn(for: key),
                let stored = try turn.update(decision, by: connected)
            {
                return stored
            }
            return try withServer(by: connected, isDone: { decision.change != nil }) { membership throws(FleetError) in
                try write(key, through: &membership, decision, by: connected)
            }
        } catch {
            return try updateCopy(key, by: deadline, decision, insteadOf: error)
        }
    }

    /// Changes a record in a separate transaction.
    private func write(
        _ key: RecordKey,
        through membership: inout Membership,
        _ decision: UpdateDecision,
        by deadline: Deadline
    ) throws(FleetError) -> StoredRecord {
        let name = membership.keys.name(of: key)
        for _ in 1...3 {
            try membership.catchUp(in: records, by: deadline)
            try membership.session.begin(by: deadline)
            let row = try membership.session.lock(name, by: deadline)
            // Another device may have changed the keys between the two.
            if try membership.isCurrent(by: deadline) {
                return try write(key, named: name, over: row, through: membership, decision, by: deadline) {
                    () throws(FleetError) in try membership.session.rollback(by: deadline)
                }
            }
            try membership.session.rollback(by: deadline)
        }
        throw FleetError(.conflict, "Other devices kept changing the fleet; nothing was changed.", remedy: "Try again.")
    }

    /// Changes a record that is locked in the connection's transaction.
    ///
    /// - Parameter leave: Ends the transaction if nothing is to be written.
    func write(
        _ key: RecordKey,
        named name: [UInt8],
        over row: ServerRecord,
        through membership: Membership,
        _ decision: UpdateDecision,
        by deadline: Deadline,
        leave: () throws(FleetError) -> Void
    ) throws(FleetError) -> StoredRecord {
        let stored = membership.open(row, named: name)
        var local = try Self.ofFleet { () throws(RecordStoreError) in try records.copy(of: key, by: deadline) }
        let meeting = local.state.meet(stored, epoch: membership.keys.epoch)
        let revision = stored?.position.revision ?? local.state.copy?.position.revision
        let isNew = decision.change == nil
        let change = decision.make(on: meeting.content, revision: revision, base: stored?.position)
        var content = change.after
        if !isNew, change.base != stored?.position {
            // The decision was made within a turn, and the record has changed since. A sign-out counts still, and so do
            // new tokens of the sessions that remain.
            if let names = change.signOut {
                content = meeting.content?.removing(names)
            } else if let after = change.after, change.bringsTokens, !change.beginsSession {
                content = meeting.content?.takingLaterTokens(of: after)
            } else {
                throw FleetError(.conflict, "Another device changed the record at the same time.", remedy: "Repeat it.")
            }
        }
        guard !change.keeps || meeting.mustWrite else {
            try leave()
            _ = try? records.updateCopy(of: key, by: deadline) { copy in
                _ = copy.state.meet(stored, epoch: membership.keys.epoch)
                copy.confirm()
            }
            return StoredRecord(content, revision)
        }
        if change.bringsTokens, let content {
            // Before they are sent: the tokens that they replace may be used up. The copy may be of a former session.
            _ = try? records.updateCopy(of: key, by: deadline) { copy in
                _ = copy.state.meet(stored, epoch: membership.keys.epoch)
                copy.state.keepTokens(of: content)
            }
        }
        let position = Position.next(
            in: membership.keys.epoch,
            after: stored?.position,
            local.state.copy?.position,
            nonce: .random(in: .min ... .max)
        )
        let written = FleetState<UserContent>.Copy(position: position, content: content)
        let isOver = ExchangeRule.isOver(after: content, before: stored?.content)
        let sealed = try membership.seal(written, named: name, exchanging: isOver ? nil : row.exchanging)
        try membership.session.write(sealed, named: name, by: deadline)
        try membership.session.commit(by: deadline)
        _ = try? records.updateCopy(of: key, replacingLocalUsers: change.beginsSession, by: deadline) { copy in
            copy.state.noteWritten(written)
            copy.confirm()
        }
        feed.note(key, at: position, isListed: false, for: membership.device.keys.id)
        note(key, isAway: false, asOf: Date())
        return StoredRecord(content, position.revision)
    }

    /// Changes the copy of a record because the server's could not be changed. A sign-out needs nobody's consent: it is
    /// noted whatever the failure is, and carried out when the server can be used.
    private func updateCopy(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decision: UpdateDecision,
        insteadOf failure: RecordStoreError
    ) throws(RecordStoreError) -> StoredRecord {
        let outage = failure.ofFleet.flatMap { $0.isOutage ? $0 : nil }
        var outcome: Result<StoredRecord, RecordStoreError> = .failure(failure)
        try records.updateCopy(of: key, by: deadline) { copy in
            let wasMade = decision.change != nil
            guard wasMade || copy.state.copy != nil else { return }
            let shown = copy.state.shownRecord
            let change = decision.make(on: copy.state.shown, revision: shown.revision, base: copy.state.copy?.position)
            if let names = change.signOut {
                copy.state.signOut(names)
                outcome = .success(copy.state.shownRecord)
            } else if let outage {
                guard copy.state.copy != nil else { return }
                let isNone = change.keeps || (!wasMade && copy.state.changeWhileAway(to: change.after) == .none)
                let refusal = wasMade ? failure : RecordStoreError(outage.refusingChange)
                outcome = isNone ? .success(shown) : .failure(refusal)
            }
            note(key, isAway: true, asOf: copy.asOf)
        }
        return try outcome.get()
    }

    /// Runs `body`, and turns an error of a store into one of the fleet.
    static func ofFleet<Value>(_ body: () throws(RecordStoreError) -> Value) throws(FleetError) -> Value {
        do {
            return try body()
        } catch {
            throw FleetError(error)
        }
    }
}
