/// The contents of a slot: its accounts, and the revision of its record; nil if nothing is stored.
struct SlotContents: Sendable {
    var record = UserRecord()
    var revision: Revision?
}

extension SlotContents {
    /// Decodes a record from a listing of the store.
    ///
    /// - Throws: `recordDamaged` or `recordVersionUnsupported`.
    init(_ stored: StoredRecord, in slot: Slot) throws(AuthError) {
        do throws(RecordFlaw) {
            guard let record = try stored.content(UserRecord.init(decoding:)) else {
                self.init()
                return
            }
            self.init(record: record, revision: stored.revision)
        } catch {
            throw AuthError(error, in: slot)
        }
    }
}

/// The action of an update on a slot.
enum SlotChange {
    /// Keeps the record; removes a damaged one that is to be set aside.
    case keep
    /// Leaves the record unchanged, damaged or not.
    case leave
    /// Stores a record. An empty record empties the slot.
    case store(UserRecord, in: RecordRoom = .limited)
}

/// The slots of one app: reads and changes the user records in a record store.
struct UserSlots: Sendable {
    /// The least number of bytes that a user with tokens takes in a record.
    static let leastUser = 1024
    /// The kind of user records, in their keys.
    static let recordKind = "user"

    let store: any RecordStore
    let appID: String
    let project: String
    let instance: String
    private let machine: MachineName?
    private let parsed: ParsedRecords

    /// - Parameter machine: The machine that its writes name.
    /// - Parameter ownIssuer: Returns the issuer of accounts whose record does not name one; nil if unknown.
    init(
        store: any RecordStore,
        appID: String,
        project: String,
        instance: String,
        machine: MachineName? = .current,
        ownIssuer: @escaping @Sendable () -> String? = { nil }
    ) {
        parsed = ParsedRecords(ownIssuer: ownIssuer)
        self.store = store
        self.appID = appID
        self.project = project
        self.instance = instance
        self.machine = machine
    }

    func key(_ slot: Slot) throws(AuthError) -> RecordKey {
        let scope: RecordKey.Scope =
            switch slot {
            case .own: .app(appID)
            case .group(let name): .group(try AccessGroup(name).name)
            }
        return RecordKey(scope: scope, project: project, instance: instance, kind: Self.recordKind)
    }

    /// Returns a reference to a slot's record, to be stored in the record of another slot.
    func copiedFrom(_ slot: Slot, at revision: Revision) throws(AuthError) -> CopiedFrom {
        CopiedFrom(scope: try key(slot).scopeName, revision: revision)
    }

    /// Makes the next read or update of a slot search for all of its items, even if one is known.
    func forgetLocation(of slot: Slot) throws(AuthError) {
        store.forgetLocation(of: try key(slot))
    }

    /// Removes the duplicates that the last read of a slot found. Failures are ignored: the next read finds the
    /// duplicates again.
    func repairDuplicates(in slot: Slot, by deadline: Deadline) {
        if let key = try? key(slot) { try? store.repairDuplicates(of: key, by: deadline) }
    }

    /// Reads a slot.
    func read(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> SlotContents {
        let key = try key(slot)
        let found = try record(slot, key).read(by: deadline)
        return contents(found, key)
    }

    /// Reads a slot, and checks that a user can be stored there now. A damaged record is no error.
    ///
    /// - Returns: The size of the record in bytes; 0 if there is none, or a damaged one.
    /// - Throws: `keptOnFleet` for a view of a fleet's record; `recordVersionUnsupported`; the error that a write would
    ///   throw.
    func checkWritable(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> Int {
        let key = try key(slot)
        let stored: StoredRecord
        do throws(RecordStoreError) {
            stored = try store.read(key, by: deadline)
            try store.checkWritable(key, by: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
        guard case .whole(let record) = stored else {
            if case .newer(let reason) = stored { throw AuthError(RecordFlaw.newer(reason), in: slot) }
            return 0
        }
        do throws(RecordFlaw) {
            if try parsed.record(of: record.payload, in: key).fleet == nil { return record.payload.count }
        } catch {
            guard case .newer = error else { return 0 }
            throw AuthError(error, in: slot)
        }
        throw .keptOnFleet(slot)
    }

    /// Reads two slots, at the same time if the store supports that.
    func read(
        _ slot: Slot,
        and other: Slot,
        by deadline: Deadline
    ) throws(AuthError) -> (Result<SlotContents, AuthError>, Result<SlotContents, AuthError>) {
        let (key, otherKey) = (try key(slot), try self.key(other))
        let found = record(slot, key).read(and: record(other, otherKey), by: deadline)
        return (found.0.map { contents($0, key) }, found.1.map { contents($0, otherKey) })
    }

    /// Informs the store that a slot is likely to hold a user.
    func expectUser(in slot: Slot) {
        if let key = try? key(slot) { store.expectRecord(of: key) }
    }

    /// The contents of a slot to which a lost copy may be restored.
    struct Missing: Sendable {
        let contents: SlotContents
        /// The error for an item without any bytes, as a daemon leaves that died during a write. The slot then counts
        /// as empty.
        var emptiness: AuthError?
    }

    /// Reads a slot to which a lost copy may be restored.
    func readMissing(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> Missing {
        do throws(AuthError) {
            return Missing(contents: try read(slot, by: deadline))
        } catch {
            guard error.code == .recordDamaged, let key = try? key(slot),
                case .empty? = try? store.read(key, by: deadline)
            else { throw error }
            return Missing(contents: SlotContents(), emptiness: error)
        }
    }

    /// Reads other data with `read` while this process acquires the lock of a slot, then runs `body` while holding the
    /// lock. `body` must not change a slot.
    ///
    /// - Throws: `conflict` if the lock was lost before `body` begins; an error of the store, or of `body`.
    @discardableResult
    func inTurn<Read, Value>(
        of slot: Slot,
        by deadline: Deadline,
        reading read: () -> Read,
        _ body: (Read) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        let key = try key(slot)
        let (lock, found): (any RecordLock, Read)
        do throws(RecordStoreError) {
            (lock, found) = try store.acquire("lock", for: key, by: deadline, looking: read)
        } catch {
            throw AuthError(error, in: slot)
        }
        defer { lock.release() }
        if lock.isLost {
            throw AuthError(
                .conflict,
                "The message bus was lost while \(slot.description) was locked.",
                remedy: "Try again."
            )
        }
        return try body(found)
    }

    /// Changes a slot while no other process can change it.
    ///
    /// - Parameter isDone: Returns whether the change was made, from the contents of the slot. If passed, time is
    ///   reserved for reading the slot again if the outcome is unknown.
    /// - Returns: The contents of the slot afterwards.
    func update(
        _ slot: Slot,
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        settledIf isDone: ((SlotContents) -> Bool)? = nil,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> SlotContents {
        let key = try key(slot)
        guard let isDone else { return try update(key, of: slot, by: deadline, ifDamaged: policy, decide) }
        do throws(AuthError) {
            return try update(key, of: slot, by: deadline.leaving(oneIn: 5), ifDamaged: policy, decide)
        } catch {
            guard error.code == .outcomeUnknown, let found = try? read(slot, by: deadline), isDone(found) else {
                throw error
            }
            return found
        }
    }

    /// Removes the originals of signed-out users from the record of another scope. An unreadable record that has
    /// replaced the original has none.
    ///
    /// - Returns: A reference to the record afterwards, for other users who were copied from it; nil if no record is
    ///   left, or if its revision was another.
    func remove(
        _ signedOut: [UserRecord.SignedOut],
        from original: CopiedFrom,
        by deadline: Deadline
    ) throws(AuthError) -> CopiedFrom? {
        guard let scope = RecordKey.Scope(name: original.scope) else { return nil }
        let key = RecordKey(scope: scope, project: project, instance: instance, kind: Self.recordKind)
        store.forgetLocation(of: key)
        let slot: Slot =
            switch scope {
            case .group(let group): .group(group)
            case .app, .project: .own
            }
        var isUnchanged = false
        let contents: SlotContents
        do throws(AuthError) {
            contents = try update(key, of: slot, by: deadline, ifDamaged: .fail) { contents in
                isUnchanged = contents.revision == original.revision
                let rest = contents.record.removing(originalsOf: signedOut, at: contents.revision)
                return rest == contents.record ? .keep : .store(rest)
            }
        } catch {
            guard [.recordDamaged, .recordVersionUnsupported].contains(error.code),
                let stored = try? store.read(key, by: deadline), stored.revision != original.revision
            else { throw error }
            return nil
        }
        return contents.revision.flatMap { isUnchanged ? CopiedFrom(scope: original.scope, revision: $0) : nil }
    }

    private func update(
        _ key: RecordKey,
        of slot: Slot,
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> SlotContents {
        var keepMark = {}
        let found = try record(slot, key).update(by: deadline, ifDamaged: policy) { (found) throws(AuthError) in
            switch try decide(contents(found, key)) {
            case .keep: return found.isDamaged ? .delete : .keep
            case .leave: return .keep
            case .store(let record, let room):
                let former = contents(found, key).record
                let change = try change(to: record, in: room, from: former, slot, key, by: deadline)
                if case .delete = change, let mark = former.origin.collection,
                    let marking = store as? any CollectionMarking
                {
                    keepMark = marking.keep(mark, of: key, by: deadline)
                }
                return change
            }
        }
        keepMark()
        return contents(found, key)
    }

    /// Returns the change that stores a record in place of another one.
    ///
    /// - Throws: `keptOnFleet` for a view of a fleet's record, and for an account that was read from one.
    private func change(
        to record: UserRecord,
        in room: RecordRoom,
        from former: UserRecord,
        _ slot: Slot,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(AuthError) -> TypedRecord<UserRecordCodec>.Change {
        if former.fleet != nil { throw .keptOnFleet(slot) }
        for account in record.accounts where account.isOnFleet { throw .keptOnFleet(account) }
        if record.isEmpty { return .delete }
        let origin = origin(ofWriteOver: former, key, by: deadline)
        return .store(RecordDraft(record: record.written(at: origin), room: room))
    }

    /// Returns what a write names as its origin. The memory of a process is neither of a machine nor of a collection.
    ///
    /// A collection that cannot be marked is not named: its record is worth more than that knowledge.
    private func origin(ofWriteOver former: UserRecord, _ key: RecordKey, by deadline: Deadline) -> UserRecord.Origin {
        let marking = store as? any CollectionMarking
        return UserRecord.Origin(
            machine: store.kind == .inMemory ? nil : machine,
            collection: former.origin.collection
                ?? marking.flatMap { try? $0.mark(for: key, by: deadline.leaving(oneIn: 2)) }
        )
    }

    private func record(_ slot: Slot, _ key: RecordKey) -> TypedRecord<UserRecordCodec> {
        TypedRecord(key, in: store, UserRecordCodec(slot: slot, key: key, parsed: parsed))
    }

    private func contents(_ found: TypedRecord<UserRecordCodec>.Found, _ key: RecordKey) -> SlotContents {
        guard let record = found.content else {
            if !found.isDamaged { parsed.forget(key) }
            return SlotContents()
        }
        return SlotContents(record: record, revision: found.revision)
    }
}

/// Encodes and decodes the user record of one slot.
private struct UserRecordCodec: RecordCodec {
    let slot: Slot
    let key: RecordKey
    let parsed: ParsedRecords

    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> UserRecord { try parsed.record(of: payload, in: key) }

    func encode(_ draft: RecordDraft, over found: StoredRecord) throws(AuthError) -> [UInt8] {
        let (record, payload) = try draft.fitted()
        if let refusal = found.refusal(toHold: payload, of: key, atMost: draft.room.limit) {
            throw AuthError(
                .storeFull,
                "\(slot.description.capitalizedFirst): \(refusal.message)",
                remedy: "Sign users out, or have smaller tokens issued.",
                underlying: refusal
            )
        }
        parsed.remember(record, as: payload, in: key)
        return payload
    }

    func failure(of error: RecordStoreError) -> AuthError { AuthError(error, in: slot) }

    func failure(of flaw: RecordFlaw) -> AuthError { AuthError(flaw, in: slot) }
}

extension Deadline {
    /// Returns an earlier deadline, which reserves one of `parts` equal parts of the remaining time.
    fileprivate func leaving(oneIn parts: Int) -> Deadline {
        .after(remaining * (parts - 1) / parts)
    }
}
