internal import SecretService

/// The slots of one app: user records, typed, on a record store.
struct UserSlots: Sendable {
    /// Whether an explicit act may put something in the place of a record that cannot be read.
    enum DamagePolicy {
        case fail
        case setAside
    }

    let store: any RecordStore
    let appID: String
    let project: String
    let instance: String
    private let parsed = ParsedRecords()

    func key(_ slot: Slot) throws(AuthError) -> RecordKey {
        let scope: RecordKey.Scope =
            switch slot {
            case .own: .app(appID)
            case .group(let name): .group(try AccessGroup(name))
            }
        return RecordKey(scope: scope, project: project, instance: instance, kind: "user")
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
        return try contents(of: stored, in: slot)
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
        let key = try key(slot)
        var refusal: AuthError?
        let stored: StoredRecord
        do {
            stored = try store.update(key, within: deadline) { found in
                do throws(AuthError) {
                    return try change(of: found, in: slot, policy, decide)
                } catch {
                    refusal = error
                    return .keep
                }
            }
        } catch {
            throw AuthError(error, in: slot)
        }
        if let refusal { throw refusal }
        return try contents(of: stored, in: slot)
    }

    private func change(
        of found: StoredRecord,
        in slot: Slot,
        _ policy: DamagePolicy,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> RecordChange {
        let before: SlotContents
        var isDamaged = false
        do throws(AuthError) {
            before = try contents(of: found, in: slot)
        } catch {
            guard error.code == .recordDamaged, policy == .setAside else { throw error }
            before = SlotContents()
            isDamaged = true
        }
        switch try decide(before) {
        case .keep:
            return isDamaged ? .removeDamaged : .keep
        case .store(let record) where record.accounts.isEmpty:
            return isDamaged ? .removeDamaged : before.revision == nil ? .keep : .delete
        case .store(let record):
            let payload = try record.encoded()
            parsed.remember(record, as: payload, in: slot)
            return isDamaged ? .replaceDamaged(payload) : .write(payload)
        }
    }

    private func contents(of stored: StoredRecord, in slot: Slot) throws(AuthError) -> SlotContents {
        switch stored {
        case .none:
            parsed.forget(slot)
            return SlotContents()
        case .damaged(let reason):
            throw AuthError(damaged: reason, in: slot)
        case .newer(let reason):
            throw AuthError(newer: reason, in: slot)
        case .whole(let record):
            do throws(UserRecord.Flaw) {
                return SlotContents(record: try parsed.record(of: record.payload, in: slot), revision: record.revision)
            } catch {
                switch error {
                case .damaged(let reason): throw AuthError(damaged: reason, in: slot)
                case .newer(let version): throw AuthError(newer: "its format version is \(version)", in: slot)
                }
            }
        }
    }
}
