public import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// The known duplicates of records.
    struct Repairs {
        /// The duplicates that the last lookup found.
        private var found: [RecordKey: Set<SecretItem>] = [:]
        /// The duplicates that could not be removed. They are not tried again, because every attempt triggers the
        /// watches of all processes.
        private var failed: [RecordKey: Set<SecretItem>] = [:]

        /// Returns whether there are duplicates whose removal has not been attempted.
        func isDue(_ key: RecordKey) -> Bool {
            guard let found = found[key] else { return false }
            return failed[key] != found
        }

        mutating func noteFound(_ items: [SecretItem], of key: RecordKey) {
            found[key] = items.isEmpty ? nil : Set(items)
        }

        mutating func noteFailed(_ items: [SecretItem], of key: RecordKey) {
            failed[key] = Set(items)
        }

        mutating func noteDone(_ key: RecordKey) {
            found[key] = nil
            failed[key] = nil
        }
    }

    /// Forces the next read or update of the key to search, unless a watch has existed since the last search.
    public func forgetLocation(of key: RecordKey) {
        cache.forgetUnlessWatched(key)
    }

    /// Removes the duplicates that the last lookup found besides the newest intact record: deletes older copies, and
    /// sets the rest aside.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        guard repairs.withLock({ $0.isDue(key) }) else { return }
        // An update repairs before it calls its closure.
        try update(key, by: deadline) { _ in .keep }
    }

    /// Removes the duplicates of an intact record.
    func repair(
        _ result: LookupResult,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> LookupResult {
        let duplicates = result.duplicates
        guard let current = result.current, !duplicates.isEmpty else { return result }
        do throws(SecretServiceError) {
            try clear(duplicates, key, by: deadline)
        } catch {
            repairs.withLock { $0.noteFailed(duplicates.map(\.item), of: key) }
            throw error
        }
        repairs.withLock { $0.noteDone(key) }
        let repaired = result.withoutDuplicates
        if repaired.others.isEmpty { cache.remember(current.item, of: key) }
        return repaired
    }

    /// Removes these items from a record's place: sets items aside that may contain something to lose, and deletes the
    /// rest.
    func clear(
        _ candidates: [LookupResult.Candidate],
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) {
        for candidate in candidates {
            if candidate.isWorthKeeping {
                try setAside(candidate, key, by: deadline)
            } else {
                try delete(candidate.item, by: deadline)
            }
        }
    }
}
