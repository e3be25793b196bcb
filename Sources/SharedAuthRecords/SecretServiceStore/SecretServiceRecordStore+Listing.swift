internal import FoundationEssentials
internal import SecretService

extension SecretServiceRecordStore {
    /// How many secrets are requested together: they fit into a message, however long each record is.
    private static let mostSecrets = 64

    /// One search, then the attributes of all items found together, then the secrets of those that are wanted, 64 at a
    /// time.
    ///
    /// - Throws: `locked` while the default collection is locked, or the one that new records go to, or an item that is
    ///   found.
    package func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        do throws(SecretServiceError) {
            let home = try listedHome(by: deadline)
            // A key that no record of an app or a group has, to remember by what is locked.
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

    /// A collection that could hold all records; a failure if there is none.
    ///
    /// - Throws: `locked`, before anything is searched for: a search would have KeePassXC ask the person to unlock.
    private func listedHome(
        by deadline: Deadline
    ) throws(SecretServiceError) -> Result<SecretCollection, SecretServiceError> {
        let standard = Result { () throws(SecretServiceError) in try openDefault(by: deadline) }
        if case .failure(let error) = standard, error.code == .locked { throw error }
        guard case .named = collection else { return standard }
        let key = RecordKey(scope: .project, project: "", instance: "", kind: "")
        return try openDedicated(for: key, by: deadline).map(Result.success) ?? standard
    }

    /// An item of a record, or of what was set aside of it.
    private struct ListedItem {
        let item: SecretItem
        /// The record's key.
        let key: RecordKey
        let modified: UInt64?
        /// What it says of itself as something that was set aside; nil for what is in the record's place.
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
        guard found.locked.isEmpty else { throw .locked("A keyring that holds records of the project") }
        do throws(SecretServiceError) {
            var items: [ListedItem] = []
            let descriptions = try service.descriptions(of: found.unlocked, by: deadline)
            for (item, description) in zip(found.unlocked, descriptions) {
                guard let description else { return .failure(.gone) }
                guard attributes.allSatisfy({ description.attributes[$0.key] == $0.value }) else {
                    let what = "\(item.path) is found by attributes that it does not have"
                    return .failure(try obstacle(at: item, what, by: deadline))
                }
                if RecordKey.isKeePassXC(description.attributes) { cache.areChangedInPlace = true }
                if let listed = listedItem(item, description, kind: place.kind) { items.append(listed) }
            }
            return try readSecrets(of: items, by: deadline)
        } catch {
            throw lockedInstead(of: error, found.unlocked, by: deadline)
        }
    }

    /// What an item is to the list of a kind; nil if it is nothing to it: another kind's, or a stranger's.
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

    /// Adds the secrets of what is in the place of a record.
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
            guard reading.missing.isEmpty else { return .failure(.gone) }
            for place in places { items[place].secret = reading.secrets[items[place].item] }
        }
        return .success(items)
    }

    /// Remembers where each record is that is alone and whole in its place, so that who changes it next need not
    /// search.
    private func rememberPlaces(of items: [ListedItem]) {
        for (key, items) in Dictionary(grouping: items.filter { $0.setAside == nil }, by: \.key) {
            guard items.count == 1, let item = items.first, let secret = item.secret,
                case .whole = LookupResult.Content(secret, for: key)
            else { continue }
            cache.remember(item.item, of: key)
        }
    }

    /// Makes one record of all items of a key.
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
