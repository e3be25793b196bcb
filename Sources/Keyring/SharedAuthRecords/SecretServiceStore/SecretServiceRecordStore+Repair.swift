public import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// The known duplicates of records.
    struct Repairs {
        /// The duplicates that the last lookup found.
        private var found: [RecordKey: Set<SecretItem>] = [:]
        /// The duplicates that could not be removed. Only a deletion tries them again, because every attempt triggers
        /// the watches of all processes, and may prompt the user.
        private var failed: [RecordKey: Set<SecretItem>] = [:]

        /// Returns whether there are duplicates whose removal has not been attempted.
        func isDue(_ key: RecordKey) -> Bool {
            guard let found = found[key] else { return false }
            return failed[key] != found
        }

        /// Returns the items that could not be removed before.
        func failures(among items: [SecretItem], of key: RecordKey) -> [SecretItem] {
            items.filter { failed[key]?.contains($0) ?? false }
        }

        mutating func noteFound(_ items: [SecretItem], of key: RecordKey) {
            found[key] = items.isEmpty ? nil : Set(items)
        }

        /// Records the items that an attempt was to remove, and those of them that are left.
        mutating func noteTried(_ items: [SecretItem], left: [SecretItem], of key: RecordKey) {
            let failures = (failed[key] ?? []).subtracting(items).union(left)
            failed[key] = failures.isEmpty ? nil : failures
            if let rest = found[key]?.subtracting(items).union(left) { found[key] = rest.isEmpty ? nil : rest }
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
        let (hold, found) = try lock.acquire(key.lockName("org.sharedauth.lock"), by: deadline) {
            Result { () throws(SecretServiceError) in try lookUp(key, by: deadline) }
        }
        defer { hold.lock.release() }
        do {
            try hold.whileHeld { () throws(SecretServiceError) in try repair(found.get(), key, by: deadline) }
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Removes the duplicates of an intact record, or of the mark of a deletion, which then goes too.
    private func repair(
        _ result: LookupResult,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) {
        guard !result.duplicates.isEmpty else { return }
        if let error = clear(result.duplicates, key, by: deadline).error { throw error }
        let rest = result.withoutDuplicates
        guard rest.others.isEmpty, let current = rest.current else { return }
        if !rest.isDeleted {
            cache.remember(current.item, of: key)
        } else if let error = clear([current], key, by: deadline).error {
            throw error
        }
    }

    /// Removes these items from a record's place: sets items aside that may contain something to lose, and deletes the
    /// rest. Tries all of them.
    ///
    /// - Returns: The items that are left, and the first error.
    func clear(
        _ candidates: [LookupResult.Candidate],
        _ key: RecordKey,
        by deadline: Deadline
    ) -> (left: [SecretItem], error: SecretServiceError?) {
        var left: [SecretItem] = []
        var first: SecretServiceError?
        for candidate in candidates {
            do throws(SecretServiceError) {
                if candidate.isWorthKeeping {
                    try setAside(candidate, key, by: deadline)
                } else {
                    try delete(candidate.item, by: deadline)
                }
            } catch {
                left.append(candidate.item)
                first = first ?? error
            }
        }
        repairs.withLock { [left] in $0.noteTried(candidates.map(\.item), left: left, of: key) }
        return (left, first)
    }
}
