internal import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// How often a search is repeated because the daemon contradicts itself, or because items come and go.
    private static let mostContradictions = 3
    private static let mostSearches = 10

    /// Why the answer to a search is of no use.
    enum Obstacle: Error {
        /// An item that was found is gone since.
        case gone
        /// The daemon names an item and does not show what it is to hold; the text says which.
        case contradiction(String)
    }

    /// A lookup that has begun: the answer is on its way while the caller sends other requests.
    enum BegunLook {
        case reading(SecretItem, SentRequest<Secret>)
        case searching(BegunSearch)
    }

    /// A search that has begun, together with the question whether the default collection is open.
    struct BegunSearch {
        let search: ItemCache.Search
        let home: SentRequest<SecretCollection>
        let items: SentRequest<SearchResult>
    }

    /// Begins to look a record up; nil if the first answer is needed before the next request.
    func beginLook(for key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> BegunLook? {
        if let item = cache[key] {
            return try item.askForSecret(by: deadline).map { asked in .reading(item, asked) }
        }
        return try beginSearch(for: key, by: deadline).map(BegunLook.searching)
    }

    /// Begins to search, if the daemon is known to show no prompt because of that.
    private func beginSearch(for key: RecordKey, by deadline: Deadline) throws(SecretServiceError) -> BegunSearch? {
        guard let home = cache.defaultCollection, service.knownDaemon?.searchesSilently == true else { return nil }
        let search = cache.beginSearch(of: key)
        return BegunSearch(
            search: search,
            home: try askForDefault(home, by: deadline),
            items: try service.askForItems(matching: key.queryAttributes, by: deadline)
        )
    }

    /// Looks a record up: where it was last, else by its attributes.
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
                guard error.code == .noSuchItem else { throw error }
            }
            // It moved, or something else is there now.
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
            guard found.locked.isEmpty else { throw .locked("The keyring that holds the record") }
            let candidates: [LookupResult.Candidate]
            switch try self.candidates(among: found.unlocked, key, by: deadline) {
            case .success(let seen): candidates = seen
            case .failure(let obstacle): return .failure(obstacle)
            }
            var result = LookupResult(candidates)
            // Where there are other items, the next lookup has to see them, too.
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

    /// Searches until the answer is of use: an item that is deleted, replaced or locked meanwhile makes it old.
    func repeating<Found>(
        _ name: @autoclosure () -> String,
        _ search: () throws(SecretServiceError) -> Result<Found, Obstacle>
    ) throws(SecretServiceError) -> Found {
        var contradictions = 0
        for _ in 1...Self.mostSearches {
            switch try search() {
            case .success(let found):
                return found
            case .failure(.gone):
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
            message: "The items of \(name()) came and went faster than they could be read.",
            remedy: "Try again."
        )
    }

    /// Searches, once it is known that not all is locked: a search would have KeePassXC ask the person to unlock.
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

    /// Whether there is nothing to find in any collection before something is unlocked.
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

    /// The items of this key among those found, and what they hold.
    ///
    /// - Throws: `locked` when a daemon was locked, or came back locked, since it found them.
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

    /// Why an item that was found unlocked does not show what it holds.
    func obstacle(
        at item: SecretItem,
        _ what: String,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Obstacle {
        do throws(SecretServiceError) {
            if try item.isLocked(by: deadline) { throw .locked("The keyring that holds the record") }
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return .gone
        }
        return .contradiction(
            "The keyring daemon contradicts itself: the item \(what). Check its log, or restart it."
        )
    }
}
