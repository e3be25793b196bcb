public import SecretService

/// Which collection of the Secret Service new records go to.
///
/// A record that there is already stays where it is, and is found wherever it is: apps that are configured differently
/// share their records all the same. A collection of one's own keeps the person's default collection small, and can be
/// locked by itself; it keeps no program out while it is open. ``RecordStore/createCollection(for:by:)`` makes it.
@frozen
public enum RecordCollection: Sendable, Hashable {
    /// The person's default collection, usually unlocked at login.
    case standard
    /// The collection of this label, for all records.
    case named(String)
    /// For the records of an access group the collection whose label is the group's name; for all others the default
    /// collection.
    case namedByGroup

    /// The label of the collection for a record; nil: the default collection.
    func label(for key: RecordKey) -> String? {
        switch (self, key.scope) {
        case (.named(let label), _): label
        case (.namedByGroup, .group(let group)): group
        case (.standard, _), (.namedByGroup, .app), (.namedByGroup, .project): nil
        }
    }
}

extension SecretServiceRecordStore {
    /// Makes the dedicated collection for this record, if there is one to make and it is not there, having the daemon
    /// ask the person.
    public func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        guard let label = collection.label(for: key) else { return }
        // Daemons make a second one of the same label.
        let lock = try lock.acquire("org.sharedauth.collection", by: deadline).lock
        defer { lock.release() }
        do {
            guard try dedicated(label, by: deadline.atMost(service.configuration.timeout)) == nil else { return }
            cache[collection: label] = try service.createCollection(label: label, by: deadline)
        } catch {
            throw blamingBus(for: error)
        }
    }

    /// The collection that a new record goes to.
    ///
    /// - Throws: `locked` while nothing can be written there, `noSuchCollection` if it has to be made first.
    func home(of key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        if let dedicated = try openDedicated(for: key, by: deadline) { return dedicated }
        guard let label = collection.label(for: key) else { return try openDefault(by: deadline) }
        throw .notThereYet(label)
    }

    /// The default collection.
    ///
    /// - Throws: `locked` while nothing can be read or written there.
    func openDefault(by deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        if let known = cache.defaultCollection { return try open(known, labelled: nil, by: deadline) }
        let found = try service.askForDefaultCollection(by: deadline).answer(by: deadline)
        cache.defaultCollection = found.collection
        return try open(found.collection, isLocked: found.isLocked, labelled: nil)
    }

    /// Asks whether the default collection, known already, is open; what this gives throws as ``openDefault(by:)``.
    func askForDefault(
        _ known: SecretCollection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SentRequest<SecretCollection> {
        let asked = try known.askIfLocked(by: deadline)
        return asked.map { [self] (answer: Result<Bool, SecretServiceError>) throws(SecretServiceError) in
            if case .failure = answer { cache.forget(known) }
            return try open(known, isLocked: answer.get(), labelled: nil)
        }
    }

    /// The dedicated collection for a record; nil if there is none.
    ///
    /// - Throws: `locked` while nothing can be read or written there.
    func openDedicated(for key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> SecretCollection? {
        guard let label = collection.label(for: key) else { return nil }
        var failure: SecretServiceError?
        for _ in 1...3 {
            guard let dedicated = try dedicated(label, by: deadline) else { return nil }
            do throws(SecretServiceError) {
                return try open(dedicated, labelled: label, by: deadline)
            } catch {
                // One that was known is gone: there may be another.
                guard error.code == .noSuchCollection else { throw error }
                failure = error
            }
        }
        // The daemon goes on naming one that is not there.
        if let failure { throw failure }
        return nil
    }

    /// The collection of a label, open or not; nil if there is none. Of several, every process takes the same.
    func dedicated(_ label: String, by deadline: Deadline) throws(SecretServiceError) -> SecretCollection? {
        if let known = cache[collection: label] { return known }
        for candidate in try service.collections(by: deadline).sorted(by: { $0.path < $1.path }) {
            do throws(SecretServiceError) {
                guard try candidate.label(by: deadline) == label else { continue }
                cache[collection: label] = candidate
                return candidate
            } catch {
                guard error.code == .noSuchCollection else { throw error }
            }
        }
        return nil
    }

    private func open(
        _ collection: SecretCollection,
        labelled label: String?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretCollection {
        let isLocked: Bool
        do {
            isLocked = try collection.isLocked(by: deadline)
        } catch {
            cache.forget(collection)
            throw error
        }
        return try open(collection, isLocked: isLocked, labelled: label)
    }

    private func open(
        _ collection: SecretCollection,
        isLocked: Bool,
        labelled label: String?
    ) throws(SecretServiceError) -> SecretCollection {
        if !isLocked { return collection }
        cache.noteLocked(collection)
        throw .locked(label.map { "The collection \"\($0)\"" } ?? "The keyring's default collection")
    }
}

extension SecretServiceError {
    static func notThereYet(_ label: String) -> SecretServiceError {
        SecretServiceError(
            code: .noSuchCollection,
            message: "The collection \"\(label)\" is not there."
        )
    }

    static func locked(_ what: String) -> SecretServiceError {
        SecretServiceError(code: .locked, message: "\(what) is locked.")
    }
}

extension SecretServiceRecordStore {
    /// Asks the person to unlock the collections that were found locked, or else those that new records go to, and then
    /// the records that were found locked in an open one: KeePassXC has each program ask for what another has written.
    public func unlock(by deadline: Deadline) throws(RecordStoreError) {
        do {
            // The person has until the deadline; all that is asked of the daemon alone has the time of any call.
            let answerTime = deadline.atMost(service.configuration.timeout)
            let found = cache.lockedCollections.sorted { $0.path < $1.path }
            for collection in found.isEmpty ? [try homeOrDefault(by: answerTime)] : found
            where try isLocked(collection, by: deadline.atMost(service.configuration.timeout)) {
                try service.unlock([collection], by: deadline)
            }
            var items: [SecretItem] = []
            for item in cache.lockedItems
            where try isLocked(item, by: deadline.atMost(service.configuration.timeout)) {
                items.append(item)
            }
            if !items.isEmpty { try service.unlock(items, by: deadline) }
            cache.forgetLocked()
        } catch {
            throw blamingBus(for: error)
        }
    }

    /// The error for a Secret Service that failed; where it did not answer, the bus is asked whether that is the one to
    /// blame.
    private func blamingBus(for error: SecretServiceError) -> RecordStoreError {
        guard error.code == .timedOut, error.circumstance == nil else { return RecordStoreError(error) }
        do throws(SecretServiceError) {
            _ = try service.holder(ofName: "org.sharedauth.nobody", by: .after(.milliseconds(500)))
        } catch {
            if error.circumstance == .muteBus { return RecordStoreError(error) }
        }
        return RecordStoreError(error)
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
