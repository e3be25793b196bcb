public import SecretService

extension SecretServiceRecordStore {
    /// Asks the person to unlock the collections that were found locked, or else those that new records go to, and then the
    /// records that were found locked in an open one: KeePassXC has each program ask for what another has written.
    public func unlock(within deadline: Deadline) throws(RecordStoreError) {
        do {
            let found = cache.lockedCollections.sorted { $0.path < $1.path }
            for collection in found.isEmpty ? [try homeOrDefault(within: deadline)] : found
            where try isLocked(collection, within: deadline) {
                try service.unlock([collection], within: deadline)
            }
            var items: [SecretItem] = []
            for item in cache.lockedItems where try isLocked(item, within: deadline) {
                items.append(item)
            }
            if !items.isEmpty { try service.unlock(items, within: deadline) }
            cache.forgetLocked()
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// The collection that new records go to; where that depends on the record, the default one.
    ///
    /// - Throws: `noDefaultCollection`, `noSuchCollection` if it has to be made first.
    package func home(within deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        guard case .named(let label) = collection else { return try service.defaultCollection(within: deadline) }
        guard let dedicated = try dedicated(label, within: deadline) else { throw .notThereYet(label) }
        return dedicated
    }

    private func homeOrDefault(within deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        do throws(SecretServiceError) {
            return try home(within: deadline)
        } catch {
            guard error.code == .noSuchCollection else { throw error }
            return try service.defaultCollection(within: deadline)
        }
    }

    private func isLocked(
        _ object: some SecretServiceObject,
        within deadline: Deadline
    ) throws(SecretServiceError) -> Bool {
        do throws(SecretServiceError) {
            return try object.isLocked(within: deadline)
        } catch {
            guard error.code == .noSuchItem || error.code == .noSuchCollection else { throw error }
            return false
        }
    }
}
