internal import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// How often a search begins again because the provider contradicts itself, or because items come and go.
    private static let mostContradictions = 3
    private static let mostSearches = 10

    /// Why the answer to a search is of no use.
    private enum Obstacle: Error {
        /// An item that was found is gone since.
        case gone
        /// The provider names an item and does not show what it is to hold; the text says which.
        case contradiction(String)
    }

    /// Looks for a record: where it was last, else by its attributes.
    func lookUp(_ key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> LookupResult {
        if let item = cache[key] {
            do {
                let secret = try item.secret(within: deadline)
                let result = LookupResult([LookupResult.Candidate(item, secret, for: key)])
                if case .whole = result.stored { return result }
            } catch {
                guard error.code == .noSuchItem else { throw error }
            }
            // It moved, or something else is there now.
            cache.forget(key)
        }
        let result = try search(key, by: deadline)
        repairs.withLock { $0.noteFound(result.duplicates.map(\.item), of: key) }
        return result
    }

    private func search(_ key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> LookupResult {
        var contradictions = 0
        for _ in 1...Self.mostSearches {
            let access = Result { () throws(SecretServiceError) in try openDefault(within: deadline) }
            if case .failure(let error) = access, error.code == .locked, try isAllLocked(by: deadline) {
                // A search would have KeePassXC ask the person to unlock.
                throw error
            }
            let search = cache.beginSearch(of: key)
            let found = try service.items(matching: key.queryAttributes, within: deadline)
            cache.noteLocked(found.locked, of: key)
            guard found.locked.isEmpty else { throw .locked("The keyring that holds the record") }
            switch try candidates(among: found.unlocked, key, by: deadline) {
            case .success(let candidates):
                let result = LookupResult(candidates)
                // Where there is company, the next look has to see it too.
                let item = result.others.isEmpty ? result.current?.item : nil
                cache.end(search, of: key, found: found.unlocked, item: item)
                if candidates.isEmpty {
                    // Only where it could be seen is nothing really nothing.
                    if try openDedicated(for: key, within: deadline) == nil { _ = try access.get() }
                }
                return result
            case .failure(.gone):
                // An item that is deleted, replaced or locked meanwhile makes the answer old: ask again.
                continue
            case .failure(.contradiction(let what)):
                contradictions += 1
                guard contradictions < Self.mostContradictions else {
                    throw SecretServiceError(code: .protocolViolation, message: what)
                }
            }
        }
        throw SecretServiceError(
            code: .protocolViolation,
            message: "The items of \(key) came and went faster than they could be read. Try again."
        )
    }

    /// Whether there is nothing to find in any collection before something is unlocked.
    private func isAllLocked(by deadline: Deadline) throws(SecretServiceError) -> Bool {
        for collection in try service.collections(within: deadline) {
            do throws(SecretServiceError) {
                if try !collection.isLocked(within: deadline) { return false }
            } catch {
                guard error.code == .noSuchCollection else { throw error }
            }
        }
        return true
    }

    /// The items of this key among those found, and what they hold.
    ///
    /// - Throws: `locked` when a provider was locked, or came back locked, since it found them.
    private func candidates(
        among found: [SecretItem],
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Result<[LookupResult.Candidate], Obstacle> {
        let attributes: [[String: String]]
        let secrets: [SecretItem: Secret]
        do throws(SecretServiceError) {
            (attributes, secrets) = try service.attributes(of: found, within: deadline) {
                () throws(SecretServiceError) in try service.secrets(of: found, within: deadline)
            }
        } catch {
            if error.code == .noSuchItem { return .failure(.gone) }
            throw lockedInstead(of: error, found, by: deadline)
        }
        if attributes.contains(where: RecordKey.isKeePassXC) { cache.areChangedInPlace = true }
        var candidates: [LookupResult.Candidate] = []
        for (item, attributes) in zip(found, attributes) {
            guard key.isFound(by: attributes) else {
                let what = "\(item.path) is found by attributes that it does not have"
                return .failure(try obstacle(at: item, what, by: deadline))
            }
            // Others may have put items with more attributes there.
            guard key.isNamed(by: attributes) else { continue }
            guard let secret = secrets[item] else {
                let what = "\(item.path) is there, and its secret is not handed out"
                return .failure(try obstacle(at: item, what, by: deadline))
            }
            candidates.append(LookupResult.Candidate(item, secret, for: key))
        }
        return .success(candidates)
    }

    /// What to make of an error that names no reason: a daemon that came back locked may answer so.
    private func lockedInstead(
        of error: SecretServiceError,
        _ items: [SecretItem],
        by deadline: Deadline
    ) -> SecretServiceError {
        guard error.code == .protocolViolation, error.remoteErrorName != nil else { return error }
        for item in items where (try? item.isLocked(within: deadline)) == true {
            return .locked("The keyring that holds the record")
        }
        return error
    }

    /// Why an item that was found unlocked does not show what it holds.
    private func obstacle(
        at item: SecretItem,
        _ what: String,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Obstacle {
        do throws(SecretServiceError) {
            if try item.isLocked(within: deadline) { throw .locked("The keyring that holds the record") }
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return .gone
        }
        return .contradiction(
            "The keyring daemon contradicts itself: the item \(what). Look at its log, or restart it."
        )
    }
}
