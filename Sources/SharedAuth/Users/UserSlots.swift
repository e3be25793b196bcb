internal import SecretService

/// What was found in a slot: its accounts, and the revision they came with (nil: nothing is stored).
struct SlotContents: Sendable {
    var record = UserRecord()
    var revision: Revision?
}

/// What an update does with a slot.
enum SlotChange {
    case keep
    /// Store this; a record with nothing to keep empties the slot.
    case store(UserRecord)
}

/// The slots of one app: user records, typed, on a record store.
struct UserSlots: Sendable {
    /// Whether an explicit act may put something in the place of a record that cannot be read.
    enum DamagePolicy {
        case fail
        case setAside
    }

    /// The largest record that an update makes: reading larger ones, and shrinking them, is always allowed.
    static let longestRecord = 64 * 1024

    let store: any RecordStore
    let appID: String
    let project: String
    let instance: String
    private let parsed = ParsedRecords()

    init(store: any RecordStore, appID: String, project: String, instance: String) {
        self.store = store
        self.appID = appID
        self.project = project
        self.instance = instance
    }

    func key(_ slot: Slot) throws(AuthError) -> RecordKey {
        let scope: RecordKey.Scope =
            switch slot {
            case .own: .app(appID)
            case .group(let name): .group(try AccessGroup(name))
            }
        return RecordKey(scope: scope, project: project, instance: instance, kind: "user")
    }

    /// Where a slot's record is, for the record of another slot to name.
    func copiedFrom(_ slot: Slot, at revision: Revision) throws(AuthError) -> CopiedFrom {
        CopiedFrom(scope: try key(slot).scopeName, revision: revision)
    }

    /// Has the next read or update of a slot look for every item in its place, even where one is known.
    func forgetLocation(of slot: Slot) throws(AuthError) {
        store.forgetLocation(of: try key(slot))
    }

    /// Mends what the last read of a slot found too many; what fails is found again by the next read.
    func repairDuplicates(in slot: Slot, by deadline: Deadline) {
        if let key = try? key(slot) { try? store.repairDuplicates(of: key, by: deadline) }
    }

    /// Reads a slot.
    func read(_ slot: Slot, within deadline: Deadline) throws(AuthError) -> SlotContents {
        let key = try key(slot)
        let stored: StoredRecord
        do {
            stored = try store.read(key, within: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
        return try contents(of: stored, in: slot, key)
    }

    /// Reads a slot that a lost copy may be put back to: an item that holds no byte, as a daemon leaves that died in the middle
    /// of a write, counts as nothing, with the error that it is otherwise.
    func readMissing(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> (SlotContents, emptiness: AuthError?) {
        do throws(AuthError) {
            return (try read(slot, within: deadline), nil)
        } catch {
            guard error.code == .recordDamaged, let key = try? key(slot),
                let stored = try? store.read(key, within: deadline), stored.isEmpty
            else { throw error }
            return (SlotContents(), error)
        }
    }

    /// Changes a slot while no other process can.
    ///
    /// - Returns: what the slot holds afterwards.
    func update(
        _ slot: Slot,
        within deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> SlotContents {
        try update(try key(slot), slot, within: deadline, policy, decide)
    }

    /// Changes a slot as `update` does; of a change that nobody answers it is found out by reading, for which time is left.
    ///
    /// - Throws: what the change failed with when its outcome was known, or the slot is not as `isDone` says it would be, or
    ///   cannot be read.
    func update(
        _ slot: Slot,
        within deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        settledIf isDone: (SlotContents) -> Bool,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> SlotContents {
        do throws(AuthError) {
            return try update(try key(slot), slot, within: deadline.leaving(oneIn: 5), policy, decide)
        } catch {
            guard error.code == .outcomeUnknown, let found = try? read(slot, within: deadline), isDone(found) else {
                throw error
            }
            return found
        }
    }

    /// Removes a user from the record of another scope, if it still holds what it held at this revision.
    func remove(_ uid: String, from original: CopiedFrom, within deadline: Deadline) throws(AuthError) {
        guard let scope = RecordKey.Scope(name: original.scope) else { return }
        let key = RecordKey(scope: scope, project: project, instance: instance, kind: "user")
        store.forgetLocation(of: key)
        let slot: Slot =
            switch scope {
            case .group(let group): .group(group.name)
            case .app, .project: .own
            }
        _ = try update(key, slot, within: deadline, .fail) { contents in
            contents.revision == original.revision ? .store(contents.record.removing(uid)) : .keep
        }
    }

    private func update(
        _ key: RecordKey,
        _ slot: Slot,
        within deadline: Deadline,
        _ policy: DamagePolicy,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> SlotContents {
        var refusal: AuthError?
        let stored: StoredRecord
        do {
            stored = try store.update(key, within: deadline) { found in
                do throws(AuthError) {
                    return try change(of: found, in: slot, key, policy, decide)
                } catch {
                    refusal = error
                    return .keep
                }
            }
        } catch {
            throw AuthError(error, in: slot)
        }
        if let refusal { throw refusal }
        return try contents(of: stored, in: slot, key)
    }

    private func change(
        of found: StoredRecord,
        in slot: Slot,
        _ key: RecordKey,
        _ policy: DamagePolicy,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> RecordChange {
        let before: SlotContents
        var isDamaged = false
        do throws(AuthError) {
            before = try contents(of: found, in: slot, key)
        } catch {
            guard error.code == .recordDamaged, policy == .setAside else { throw error }
            before = SlotContents()
            isDamaged = true
        }
        switch try decide(before) {
        case .keep:
            return isDamaged ? .removeDamaged : .keep
        case .store(let record) where record.isEmpty:
            return isDamaged ? .removeDamaged : before.revision == nil ? .keep : .delete
        case .store(let record):
            let payload = try record.encoded()
            if let refusal = found.refusal(toHold: payload, of: key, atMost: Self.longestRecord) {
                throw AuthError(
                    refusal.authErrorCode,
                    "\(slot.description.capitalizedFirst): \(refusal.message)",
                    remedy: "Sign users out, or have smaller tokens issued.",
                    underlying: refusal
                )
            }
            parsed.remember(record, as: payload, in: key)
            return isDamaged ? .replaceDamaged(payload) : .write(payload)
        }
    }

    private func contents(of stored: StoredRecord, in slot: Slot, _ key: RecordKey) throws(AuthError) -> SlotContents {
        switch stored {
        case .none:
            parsed.forget(key)
            return SlotContents()
        case .damaged(let reason):
            throw AuthError(damaged: reason, in: slot)
        case .newer(let reason):
            throw AuthError(newer: reason, in: slot)
        case .whole(let record):
            do throws(UserRecord.Flaw) {
                return SlotContents(record: try parsed.record(of: record.payload, in: key), revision: record.revision)
            } catch {
                switch error {
                case .damaged(let reason): throw AuthError(damaged: reason, in: slot)
                case .newer(let version): throw AuthError(newer: "its format version is \(version)", in: slot)
                }
            }
        }
    }
}

extension Deadline {
    /// A moment that leaves a part of the time that is left for what comes after it.
    fileprivate func leaving(oneIn parts: Int) -> Deadline {
        .after(remaining * (parts - 1) / parts)
    }
}
