public import SecretService

extension SecretServiceRecordStore {
    /// Asks the person to unlock the collections that were found locked, or else those that new records go to, and then the
    /// records that were found locked in an open one: KeePassXC has each program ask for what another has written.
    public func unlock(by deadline: Deadline) throws(RecordStoreError) {
        do {
            let found = cache.lockedCollections.sorted { $0.path < $1.path }
            for collection in found.isEmpty ? [try homeOrDefault(by: deadline)] : found
            where try isLocked(collection, by: deadline) {
                try service.unlock([collection], by: deadline)
            }
            var items: [SecretItem] = []
            for item in cache.lockedItems where try isLocked(item, by: deadline) {
                items.append(item)
            }
            if !items.isEmpty { try service.unlock(items, by: deadline) }
            cache.forgetLocked()
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// The collection that new records go to; where that depends on the record, the default one.
    ///
    /// - Throws: `noDefaultCollection`, `noSuchCollection` if it has to be made first.
    package func home(by deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        guard case .named(let label) = collection else { return try service.defaultCollection(by: deadline) }
        guard let dedicated = try dedicated(label, by: deadline) else { throw .notThereYet(label) }
        return dedicated
    }

    private func homeOrDefault(by deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        do throws(SecretServiceError) {
            return try home(by: deadline)
        } catch {
            guard error.code == .noSuchCollection else { throw error }
            return try service.defaultCollection(by: deadline)
        }
    }

    private func isLocked(
        _ object: some SecretServiceObject,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Bool {
        do throws(SecretServiceError) {
            return try object.isLocked(by: deadline)
        } catch {
            guard error.code == .noSuchItem || error.code == .noSuchCollection else { throw error }
            return false
        }
    }
}
