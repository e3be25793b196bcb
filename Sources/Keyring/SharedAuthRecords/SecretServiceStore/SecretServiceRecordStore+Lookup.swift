internal import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// The limits for repeating a search: when the daemon contradicts itself, and when items change during the search.
    private static let mostContradictions = 3
    private static let mostSearches = 10

    /// The reason why a search result is not usable.
    enum Obstacle: Error {
        /// A search is outdated: something was unlocked since.
        case outdated
        /// Some of the items that were found do not exist. Those of `missing` are known not to.
        case gone(found: [SecretItem], missing: [SecretItem])
        /// The daemon returns an item that does not have the expected content; the text describes it.
        case contradiction(String)
    }

    /// A lookup in progress. The response arrives while the caller sends other requests.
    enum BegunLook {
        case reading(SecretItem, SentRequest<Secret>)
        case searching(BegunSearch)
    }

    /// A search in progress, together with the request for the lock state of the default collection.
    struct BegunSearch {
        let search: ItemCache.Search
        let home: SentRequest<SecretCollection>
        let items: SentRequest<SearchResult>
    }

    /// Begins to look up a record; nil if the next request needs the first response.
    func beginLook(for key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> BegunLook? {
        if let item = cache[key] {
            return try item.askForSecret(by: deadline).map { asked in .reading(item, asked) }
        }
        return try beginSearch(for: key, by: deadline).map(BegunLook.searching)
    }

    /// Begins a search if the daemon is known not to prompt because of a search.
    private func beginSearch(for key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> BegunSearch? {
        guard let home = cache.defaultCollection, service.knownDaemon?.searchesSilently == true else { return nil }
        let search = cache.beginSearch(of: key)
        return BegunSearch(
            search: search,
            home: try askForDefault(home, by: deadline),
            items: try service.askForItems(matching: key.queryAttributes, by: deadline)
        )
    }

    /// Looks up a record at its cached location, otherwise by its attributes.
    func lookUp(
        _ key: RecordKey,
        going begun: BegunLook? = nil,
        by deadline: Deadline
    ) throws(SecretServiceError) -> LookupResult {
        var begunSearch: BegunSearch?
        var begunRead: (item: SecretItem, secret: SentRequest<Secret>)?
        switch begun {
        case .reading(let item, let secret): begunRead = (item, secret)
        case .searching(let search): begunSearch = search
        case nil: break
        }
        if begunSearch == nil, let item = begunRead?.item ?? cache[key] {
            do throws(SecretServiceError) {
                let secret =
                    if let begunRead { try begunRead.secret.answer(by: deadline) } else {
                        try item.secret(by: deadline)
                    }
                let result = LookupResult([LookupResult.Candidate(item, secret, for: key)])
                if case .whole = result.stored { return result }
            } catch {
                if error.code == .locked {
                    cache.noteLocked(item.collection)
                    cache.noteLocked([item], of: key)
                }
                let mayBeRead = error.code == .locked && opensUnasked([item.collection], by: deadline)
                guard mayBeRead || error.code == .noSuchItem else { throw error }
            }
            // The record has moved, or the item has been replaced.
            cache.forget(key)
        }
        let result = try search(key, going: begunSearch, by: deadline)
        repairs.withLock { $0.noteFound(result.duplicates.map(\.item), of: key) }
        return result
    }

    private func search(
        _ key: RecordKey,
        going begun: BegunSearch?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> LookupResult {
        var begun = begun
        return try repeating("\(key)") { () throws(SecretServiceError) in
            let (search, access, found) = try find(key, going: begun, by: deadline)
            begun = nil
            cache.noteLocked(found.locked, of: key)
            guard found.locked.isEmpty else {
                if opensUnasked(Set(found.locked.map(\.collection)), by: deadline) { return .failure(.outdated) }
                throw .locked("The keyring that holds the record")
            }
            let candidates: [LookupResult.Candidate]
            switch try self.candidates(among: found.unlocked, key, by: deadline) {
            case .success(let seen): candidates = seen
            case .failure(let obstacle): return .failure(obstacle)
            }
            var result = LookupResult(candidates)
            // If there are other items, the next lookup must find them too.
            let item = result.others.isEmpty ? result.current?.item : nil
            cache.end(search, of: key, found: found.unlocked, item: item)
            if candidates.isEmpty {
                // An empty result is reliable only if the collection that could hold the record is unlocked.
                result.home = try openDedicated(for: key, by: deadline)
                if result.home == nil {
                    let home = try access.get()
                    if collection.label(for: key) == nil { result.home = home }
                }
                result.isAlone = found.unlocked.isEmpty
            }
            return .success(result)
        }
    }

    /// Repeats a search until its result is usable. An item that is deleted, replaced or locked in the meantime makes
    /// it outdated.
    func repeating<Found>(
        _ name: @autoclosure () -> String,
        _ search: () throws(SecretServiceError) -> Result<Found, Obstacle>
    ) throws(SecretServiceError) -> Found {
        var contradictions = 0
        var searches = FailedSearches()
        for _ in 1...Self.mostSearches {
            switch try search() {
            case .success(let found):
                return found
            case .failure(.outdated):
                break
            case .failure(.gone(let found, let missing)):
                searches.note(found: found.map(\.path), missing: missing.map(\.path))
            case .failure(.contradiction(let what)):
                contradictions += 1
                guard contradictions < Self.mostContradictions else {
                    throw SecretServiceError(code: .protocolViolation, message: what)
                }
            }
        }
        throw SecretServiceError(searches.cause, of: name())
    }

    /// Searches after checking that not everything is locked; otherwise KeePassXC would prompt the user to unlock.
    private func find(
        _ key: RecordKey,
        going begun: BegunSearch?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> (ItemCache.Search, Result<SecretCollection, SecretServiceError>, SearchResult) {
        let begun = if let begun { begun } else { try beginSearch(for: key, by: deadline) }
        let access = Result { () throws(SecretServiceError) in
            if let begun { try begun.home.answer(by: deadline) } else { try openDefault(by: deadline) }
        }
        if case .failure(let error) = access, error.code == .locked, try isAllLocked(by: deadline) { throw error }
        if let begun { return (begun.search, access, try begun.items.answer(by: deadline)) }
        let search = cache.beginSearch(of: key)
        let found =
            cache.takeExpectation(of: key)
            ? try service.items(expectedToMatch: key.queryAttributes, by: deadline)
            : try service.items(matching: key.queryAttributes, by: deadline)
        return (search, access, found)
    }

    /// Returns whether all collections are locked.
    private func isAllLocked(by deadline: Deadline) throws(SecretServiceError) -> Bool {
        for collection in try service.collections(by: deadline) {
            do throws(SecretServiceError) {
                if try !collection.isLocked(by: deadline) { return false }
            } catch {
                guard error.code == .noSuchCollection else { throw error }
            }
        }
        return true
    }

    /// Returns the items of this key among those found, with their contents.
    ///
    /// - Throws: `locked` if the daemon was locked, or restarted locked, after the search.
    private func candidates(
        among found: [SecretItem],
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Result<[LookupResult.Candidate], Obstacle> {
        let attributes: [[String: String]]
        let secrets: [SecretItem: Secret]
        do throws(SecretServiceError) {
            (attributes, secrets) = try service.attributes(of: found, by: deadline) {
                () throws(SecretServiceError) in try service.secrets(of: found, by: deadline)
            }
        } catch {
            if error.code == .noSuchItem {
                return .failure(.gone(found: found, missing: found.filter { !exists($0, by: deadline) }))
            }
            throw lockedInstead(of: error, found, by: deadline)
        }
        if attributes.contains(where: RecordKey.isKeePassXC) { cache.areChangedInPlace = true }
        var candidates: [LookupResult.Candidate] = []
        for (item, attributes) in zip(found, attributes) {
            guard key.isFound(by: attributes) else {
                let what = "\(item.path) matches a search for attributes that it does not have"
                return .failure(try obstacle(at: item, among: found, what, by: deadline))
            }
            // Other programs may have stored items with additional attributes.
            guard key.isNamed(by: attributes) else { continue }
            guard let secret = secrets[item] else {
                let what = "\(item.path) exists, but its secret is not returned"
                return .failure(try obstacle(at: item, among: found, what, by: deadline))
            }
            candidates.append(LookupResult.Candidate(item, secret, for: key))
        }
        return .success(candidates)
    }

    /// Returns `locked` instead of an error without a reason, if an item is locked: a daemon that restarted locked may
    /// return such errors.
    func lockedInstead(
        of error: SecretServiceError,
        _ items: [SecretItem],
        by deadline: Deadline
    ) -> SecretServiceError {
        guard error.code == .protocolViolation, error.remoteErrorName != nil else { return error }
        for item in items where (try? item.isLocked(by: deadline)) == true {
            return .locked("The keyring that holds the record")
        }
        return error
    }

    /// Returns why an item that was found unlocked does not have the expected content.
    func obstacle(
        at item: SecretItem,
        among found: [SecretItem],
        _ what: String,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Obstacle {
        do throws(SecretServiceError) {
            if try item.isLocked(by: deadline) { throw .locked("The keyring that holds the record") }
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return .gone(found: found, missing: [item])
        }
        return .contradiction(
            "The keyring daemon contradicts itself: the item \(what). Check its log, or restart it."
        )
    }

    /// Returns false if the daemon says that an item does not exist.
    private func exists(_ item: SecretItem, by deadline: Deadline) -> Bool {
        do throws(SecretServiceError) {
            _ = try item.isLocked(by: deadline)
            return true
        } catch {
            return error.code != .noSuchItem
        }
    }
}
