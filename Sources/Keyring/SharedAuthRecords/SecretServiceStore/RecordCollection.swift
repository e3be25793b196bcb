public import SecretService

/// The collection of the Secret Service for new records.
///
/// Existing records remain in their collections and are found there, so apps with different configurations still share
/// their records. A dedicated collection keeps the user's default collection small and can be locked separately. While
/// it is unlocked, every program can read it. ``RecordStore/createCollection(for:by:)`` creates it.
@frozen
public enum RecordCollection: Sendable, Hashable {
    /// The user's default collection, usually unlocked at login.
    case standard
    /// The collection with this label, for all records.
    case named(String)
    /// The collection whose label is the name of the access group, for the records of a group; the default collection
    /// for all others.
    case namedByGroup

    /// Returns the label of the collection for a record; nil for the default collection.
    func label(for key: RecordKey) -> String? {
        switch (self, key.scope) {
        case (.named(let label), _): label
        case (.namedByGroup, .group(let group)): group
        case (.standard, _), (.namedByGroup, .app), (.namedByGroup, .project): nil
        }
    }
}

extension SecretServiceRecordStore {
    /// Creates the dedicated collection for this record, if one is configured and does not exist. The daemon prompts
    /// the user.
    public func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        guard let label = collection.label(for: key) else { return }
        // Without the lock, two processes could create two collections with the same label.
        let lock = try lock.acquire("org.sharedauth.collection", by: deadline).lock
        defer { lock.release() }
        do {
            guard try dedicated(label, by: deadline.atMost(service.configuration.timeout)) == nil else { return }
            cache[collection: label] = try service.createCollection(label: label, by: deadline)
        } catch {
            throw blamingBus(for: error)
        }
    }

    /// Returns the collection for a new record.
    ///
    /// - Throws: `locked` if nothing can be written there, `noSuchCollection` if it must be created first.
    func home(of key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        if let dedicated = try openDedicated(for: key, by: deadline) { return dedicated }
        guard let label = collection.label(for: key) else { return try openDefault(by: deadline) }
        throw .notThereYet(label)
    }

    /// Returns the default collection.
    ///
    /// - Throws: `locked` if nothing can be read or written there.
    func openDefault(by deadline: Deadline) throws(SecretServiceError) -> SecretCollection {
        if let known = cache.defaultCollection { return try open(known, labelled: nil, by: deadline) }
        let found = try service.askForDefaultCollection(identifying: true, by: deadline).answer(by: deadline)
        cache.defaultCollection = found.collection
        return try open(found.collection, isLocked: found.isLocked, labelled: nil, by: deadline)
    }

    /// Requests the lock state of the default collection, which is already known. Waiting for the response throws the
    /// same errors as ``openDefault(by:)``.
    func askForDefault(
        _ known: SecretCollection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SentRequest<SecretCollection> {
        let asked = try known.askIfLocked(by: deadline)
        return asked.map { [self] (answer: Result<Bool, SecretServiceError>) throws(SecretServiceError) in
            if case .failure = answer { cache.forget(known) }
            return try open(known, isLocked: answer.get(), labelled: nil, by: deadline)
        }
    }

    /// Returns the dedicated collection for a record; nil if it does not exist or is not configured.
    ///
    /// - Throws: `locked` if nothing can be read or written there.
    func openDedicated(for key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> SecretCollection? {
        guard let label = collection.label(for: key) else { return nil }
        var failure: SecretServiceError?
        for _ in 1...3 {
            guard let dedicated = try dedicated(label, by: deadline) else { return nil }
            do throws(SecretServiceError) {
                return try open(dedicated, labelled: label, by: deadline)
            } catch {
                // The cached collection is gone. There may be another one.
                guard error.code == .noSuchCollection else { throw error }
                failure = error
            }
        }
        // The daemon continues to list a collection that does not exist.
        if let failure { throw failure }
        return nil
    }

    /// Returns the collection with a label, locked or not; nil if it does not exist. If several have the label, every
    /// process chooses the same one.
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
        return try open(collection, isLocked: isLocked, labelled: label, by: deadline)
    }

    private func open(
        _ collection: SecretCollection,
        isLocked: Bool,
        labelled label: String?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretCollection {
        if !isLocked || opensUnasked([collection], by: deadline) { return collection }
        cache.noteLocked(collection)
        throw .locked(label.map { "The collection \"\($0)\"" } ?? "The keyring's default collection")
    }
}

extension SecretServiceRecordStore: LockInquiry {
    /// Returns whether any of the collections and items that were found locked still is.
    package func isStillLocked(by deadline: Deadline) -> Bool {
        let collections = cache.lockedCollections.sorted { $0.path < $1.path }
        let found: [any SecretServiceObject] = collections + cache.lockedItems
        return found.contains { object in
            do throws(SecretServiceError) {
                return try object.isLocked(by: deadline)
            } catch {
                // What is gone is not locked.
                return error.code != .noSuchItem && error.code != .noSuchCollection
            }
        }
    }
}

extension SecretServiceRecordStore {
    /// Returns whether the daemon has unlocked any of these collections without a prompt. This process asks it once in its
    /// run for each collection, and not for one that it has seen being locked.
    func opensUnasked(_ collections: Set<SecretCollection>, by deadline: Deadline) -> Bool {
        let untried = cache.takeUntried(collections, inRun: service.answeringInstanceID)
        if untried.isEmpty { return false }
        return (try? service.unlockWithoutPrompt(untried.sorted { $0.path < $1.path }, by: deadline)) ?? false
    }

    /// Returns whether a collection is locked, and stays locked without a prompt.
    package func staysLocked(_ collection: SecretCollection, by deadline: Deadline) throws(SecretServiceError) -> Bool {
        try collection.isLocked(by: deadline) && !opensUnasked([collection], by: deadline)
    }
}

extension SecretServiceError {
    static func notThereYet(_ label: String) -> SecretServiceError {
        SecretServiceError(
            code: .noSuchCollection,
            message: "The collection \"\(label)\" does not exist."
        )
    }

    static func locked(_ what: String) -> SecretServiceError {
        SecretServiceError(code: .locked, message: "\(what) is locked.")
    }
}

extension SecretServiceRecordStore {
    /// Prompts the user to unlock the collections that were found locked, or else those for new records, and then the
    /// records that were found locked in an unlocked collection: KeePassXC requires each program to request access to
    /// items that another program has written.
    public func unlock(by deadline: Deadline) throws(RecordStoreError) {
        do {
            // The user has until the deadline; requests to the daemon alone have the usual timeout.
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

    /// Returns the error for a failure of the Secret Service. If the daemon did not respond, queries the bus to find
    /// out whether the bus is the cause.
    private func blamingBus(for error: SecretServiceError) -> RecordStoreError {
        guard error.code == .timedOut, error.circumstance == nil else { return RecordStoreError(error) }
        do throws(SecretServiceError) {
            _ = try service.holder(ofName: "org.sharedauth.nobody", by: .after(.milliseconds(500)))
        } catch {
            if error.circumstance == .muteBus { return RecordStoreError(error) }
        }
        return RecordStoreError(error)
    }

    /// Returns the collection for new records; the default collection if it depends on the record.
    ///
    /// - Throws: `noDefaultCollection`, or `noSuchCollection` if the collection must be created first.
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
