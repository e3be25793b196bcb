internal import FoundationEssentials
internal import SecretService

extension SecretServiceRecordStore {
    /// The number of secrets per request: they fit into one message even if each record has the maximum size.
    private static let mostSecrets = 64

    /// Makes one search, then requests the attributes of all items found, then the secrets of the wanted items, 64 at a
    /// time.
    ///
    /// - Throws: `locked` if the default collection, the collection for new records, or an item found is locked.
    package func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        do throws(SecretServiceError) {
            let home = try listedHome(by: deadline)
            // A key that no record of an app or group has, under which locked items are cached.
            let place = RecordKey(scope: .project, project: project, instance: instance ?? "", kind: kind)
            let attributes = RecordKey.queryAttributes(ofProject: project, instance: instance)
            let items = try repeating("the project \(project)") { () throws(SecretServiceError) in
                try listedItems(at: place, matching: attributes, by: deadline)
            }
            // An empty result is reliable only if the collection that could hold a record is unlocked.
            if items.isEmpty { _ = try home.get() }
            rememberPlaces(of: items)
            return Self.records(items)
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Returns a collection that can hold all records, or a failure if there is none.
    ///
    /// - Throws: `locked`, before anything is searched: on a search, KeePassXC would prompt the user to unlock.
    private func listedHome(
        by deadline: Deadline
    ) throws(SecretServiceError) -> Result<SecretCollection, SecretServiceError> {
        let standard = Result { () throws(SecretServiceError) in try openDefault(by: deadline) }
        if case .failure(let error) = standard, error.code == .locked { throw error }
        guard case .named = collection else { return standard }
        let key = RecordKey(scope: .project, project: "", instance: "", kind: "")
        return try openDedicated(for: key, by: deadline).map(Result.success) ?? standard
    }

    /// An item that holds a record or a copy that was set aside.
    private struct ListedItem {
        let item: SecretItem
        /// The record's key.
        let key: RecordKey
        let modified: UInt64?
        /// The description of a copy that was set aside; nil for an item in the record's place.
        let setAside: SetAsideRecord?
        var secret: Secret?
    }

    private func listedItems(
        at place: RecordKey,
        matching attributes: [String: String],
        by deadline: Deadline
    ) throws(SecretServiceError) -> Result<[ListedItem], Obstacle> {
        let found = try service.items(expectedToMatch: attributes, by: deadline)
        cache.noteLocked(found.locked, of: place)
        guard found.locked.isEmpty else {
            if opensUnasked(Set(found.locked.map(\.collection)), by: deadline) { return .failure(.outdated) }
            throw .locked("A keyring that holds records of the project")
        }
        do throws(SecretServiceError) {
            var items: [ListedItem] = []
            let descriptions = try service.descriptions(of: found.unlocked, by: deadline)
            for (item, description) in zip(found.unlocked, descriptions) {
                guard let description else { return .failure(.gone(found: found.unlocked, missing: [item])) }
                guard attributes.allSatisfy({ description.attributes[$0.key] == $0.value }) else {
                    let what = "\(item.path) matches a search for attributes that it does not have"
                    return .failure(try obstacle(at: item, among: found.unlocked, what, by: deadline))
                }
                if RecordKey.isKeePassXC(description.attributes) { cache.areChangedInPlace = true }
                if let listed = listedItem(item, description, kind: place.kind) { items.append(listed) }
            }
            return try readSecrets(of: items, by: deadline)
        } catch {
            throw lockedInstead(of: error, found.unlocked, by: deadline)
        }
    }

    /// Returns the entry for an item in the list of a kind; nil for an item of another kind or of another program.
    private func listedItem(_ item: SecretItem, _ description: ItemDescription, kind: String) -> ListedItem? {
        guard let key = RecordKey(attributes: description.attributes) else { return nil }
        if key.kind == kind {
            return ListedItem(item: item, key: key, modified: description.modified, setAside: nil)
        }
        let origin = RecordKey(scope: key.scope, project: key.project, instance: key.instance, kind: kind)
        guard key.kind.hasPrefix(origin.setAsidePrefix) else { return nil }
        let number = key.kind.dropFirst(origin.setAsidePrefix.count)
        return SetAsideRecord(number: number, place: item.path, revisions).map { record in
            ListedItem(item: item, key: origin, modified: description.modified, setAside: record)
        }
    }

    /// Adds the secrets of the items in the places of records.
    private func readSecrets(
        of items: [ListedItem],
        by deadline: Deadline
    ) throws(SecretServiceError) -> Result<[ListedItem], Obstacle> {
        var items = items
        let wanted = items.indices.filter { items[$0].setAside == nil }
        for start in stride(from: 0, to: wanted.count, by: Self.mostSecrets) {
            let places = wanted[start..<min(start + Self.mostSecrets, wanted.count)]
            let reading = try service.readSecrets(of: places.map { items[$0].item }, by: deadline)
            guard reading.locked.isEmpty else { throw .locked("A keyring that holds records of the project") }
            guard reading.missing.isEmpty else {
                return .failure(.gone(found: items.map(\.item), missing: reading.missing))
            }
            for place in places { items[place].secret = reading.secrets[items[place].item] }
        }
        return .success(items)
    }

    /// Caches the location of each intact record without duplicates, so that its next change needs no search.
    private func rememberPlaces(of items: [ListedItem]) {
        for (key, items) in Dictionary(grouping: items.filter { $0.setAside == nil }, by: \.key) {
            guard items.count == 1, let item = items.first, let secret = item.secret,
                case .whole = LookupResult.Content(secret, for: key)
            else { continue }
            cache.remember(item.item, of: key)
        }
    }

    /// Combines all items of a key into one record.
    private static func records(_ items: [ListedItem]) -> [ListedRecord] {
        Dictionary(grouping: items, by: \.key).map { key, items in
            let candidates = items.compactMap { item in
                item.secret.map { LookupResult.Candidate(item.item, $0, for: key) }
            }
            let modified = items.filter { $0.setAside == nil }.compactMap(\.modified).max()
            return ListedRecord(
                key: key,
                stored: LookupResult(candidates).stored,
                size: candidates.reduce(0) { $0 + $1.secret.count },
                modified: modified.map { Date(timeIntervalSince1970: Double($0)) },
                duplicates: max(0, candidates.count - 1),
                setAside: items.compactMap(\.setAside)
            )
        }
    }
}
