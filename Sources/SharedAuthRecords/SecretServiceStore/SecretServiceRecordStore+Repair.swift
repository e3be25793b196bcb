public import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// What is known of the items that a record should not have in its place besides its own.
    struct Repairs {
        /// Those that the last lookup found.
        private var found: [RecordKey: Set<SecretItem>] = [:]
        /// Those that could not be removed. They are not tried again: every attempt reaches the watches of all
        /// processes.
        private var failed: [RecordKey: Set<SecretItem>] = [:]

        /// Whether there is something to remove that was not tried before.
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

    /// Makes the next read or update of the key search, unless a watch has been there since the last search.
    public func forgetLocation(of key: RecordKey) {
        cache.forgetUnlessWatched(key)
    }

    /// Removes what the last lookup found besides the newest whole record; older copies are deleted, the rest is set
    /// aside.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        guard repairs.withLock({ $0.isDue(key) }) else { return }
        // An update does it before it shows the record.
        try update(key, by: deadline) { _ in .keep }
    }

    /// Leaves a whole record alone in its place.
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

    /// Empties a record's place of these: sets aside what may be worth something, and deletes the rest.
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
