internal import SecretService

extension SecretServiceRecordStore {
    /// Carries a change out on what was found.
    func carryOut(
        _ change: RecordChange,
        on result: LookupResult,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> StoredRecord {
        switch change {
        case .keep:
            return result.stored
        case .write(let payload):
            let inTheWay = result.others.filter(\.isWorthKeeping)
            return .whole(try write(payload, over: result, settingAside: inTheWay, key, by: deadline))
        case .replaceDamaged(let payload):
            let inTheWay = result.others.filter(\.isWorthKeeping) + [result.current].compactMap(\.self)
            return .whole(try write(payload, over: result, settingAside: inTheWay, key, by: deadline))
        case .delete:
            cache.forget(key)
            try clear(result.others, key, by: deadline)
            // Last of all: until here the record is what it was.
            if let current = result.current { try delete(current.item, by: deadline) }
            return .none
        case .removeDamaged:
            cache.forget(key)
            try clear(result.others, key, by: deadline)
            if let current = result.current { try setAside(current, key, by: deadline) }
            return .none
        }
    }

    /// Copies what is in the way aside and writes in its place, which is empty at no instant: a peer that looks in between
    /// must not take the damage for a sign-out.
    private func write(
        _ payload: [UInt8],
        over result: LookupResult,
        settingAside inTheWay: [LookupResult.Candidate],
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Record {
        let record = Record(payload: payload, revision: revisions.revision(after: result.stored.revision))
        var copies: [SecretItem] = []
        let item: SecretItem
        do throws(SecretServiceError) {
            for candidate in inTheWay { copies.append(try copyAside(candidate, key, by: deadline)) }
            item = try write(record, over: result, key, by: deadline)
        } catch {
            takeBack(copies, after: error, by: deadline)
            throw error
        }
        let items = ([result.current].compactMap(\.self) + result.others).map(\.item)
        clearAway(items, beside: item, record, key, by: deadline)
        if !copies.isEmpty { trimSetAside(of: key, by: deadline) }
        return record
    }

    /// Deletes an item; one that is gone already is fine.
    func delete(_ item: SecretItem, by deadline: Deadline) throws(SecretServiceError) {
        do {
            try item.delete(by: deadline)
        } catch {
            guard error.code == .noSuchItem else { throw error }
        }
    }
}
