internal import SecretService

extension CollectionMark {
    /// The attributes of every item that marks a collection. They have the names of a record's, so that no record's item is
    /// found by them, and the reverse.
    fileprivate static let sharedAttributes = [
        "sharedauth-format": "1",
        "sharedauth-scope": "collection",
        "sharedauth-project": "-",
        "sharedauth-instance": "-",
    ]

    /// The attributes of the items with this mark.
    fileprivate var attributes: [String: String] {
        Self.sharedAttributes.merging([RecordKey.kindAttribute: text]) { $1 }
    }

    /// The label that the user sees in the keyring application.
    fileprivate static let label = "SharedAuth: the mark of this keyring"
}

extension SecretServiceRecordStore: CollectionMarking {
    /// Returns the mark of a record's collection. Costs two round trips for each collection, once in a process. Two
    /// processes may mark a collection at the same time: then it has two marks, and both identify it.
    package func mark(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> CollectionMark {
        do throws(SecretServiceError) {
            let place = cache[key]?.collection ?? (collection.label(for: key) == nil ? cache.defaultCollection : nil)
            let collection = if let place { place } else { try home(of: key, by: deadline) }
            if let known = cache.mark(of: collection) { return known }
            let present = try presentMark(of: collection, by: deadline)
            let mark = present ?? CollectionMark(revisions.random())
            if present == nil { try make(mark, in: collection, by: deadline) }
            cache.note(mark, of: collection)
            return mark
        } catch {
            throw RecordStoreError(error)
        }
    }

    private func presentMark(
        of collection: SecretCollection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> CollectionMark? {
        let found = try service.items(matching: CollectionMark.sharedAttributes, by: deadline)
        // KeePassXC shows the attributes of items, too, to which the user has not allowed access.
        var marks: [CollectionMark] = []
        for item in found.unlocked + found.locked where item.collection == collection {
            let name = (try? item.attributes(by: deadline))?[RecordKey.kindAttribute]
            if let mark = name.flatMap(CollectionMark.init) { marks.append(mark) }
        }
        return marks.min { $0.text < $1.text }
    }

    private func make(
        _ mark: CollectionMark,
        in collection: SecretCollection,
        by deadline: Deadline
    ) throws(SecretServiceError) {
        _ = try collection.createItem(
            label: CollectionMark.label,
            attributes: mark.attributes.merging(["xdg:schema": "org.sharedauth.Mark"]) { $1 },
            secret: Secret(mark.text),
            replacing: false,
            by: deadline
        )
    }

    /// Requests the mark's items. The request shares a wait with the deletion. Other processes may see the deletion before
    /// the mark, and look again once it is made.
    package func keep(_ mark: CollectionMark, of key: RecordKey, by deadline: Deadline) -> () -> Void {
        guard let collection = cache[key]?.collection,
            let asked = try? service.askForItems(matching: mark.attributes, by: deadline)
        else { return {} }
        return { [self] in
            guard let found = try? asked.answer(by: deadline), found.unlocked.isEmpty, found.locked.isEmpty else {
                return
            }
            try? make(mark, in: collection, by: deadline)
        }
    }

    /// Looks for the collection with a mark, in all collections of the daemon. Costs one round trip, and another one for
    /// each of its items that is locked.
    package func presence(of mark: CollectionMark, by deadline: Deadline) throws(RecordStoreError) -> CollectionPresence
    {
        do throws(SecretServiceError) {
            let found = try service.items(matching: mark.attributes, by: deadline)
            if !found.unlocked.isEmpty { return .present }
            for item in found.locked {
                // KeePassXC shows items as locked to which the user has not allowed access.
                guard try staysLocked(item.collection, by: deadline) else { return .present }
                cache.noteLocked(item.collection)
            }
            return found.locked.isEmpty ? .absent : .locked
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Returns the files and the locked collections that may have an absent collection's records.
    package func traces(by deadline: Deadline) -> CollectionTraces {
        let files = (try? service.collectionFiles(by: deadline)) ?? nil
        let collections = (try? service.collections(by: deadline)) ?? []
        let locked = collections.filter { (try? $0.isLocked(by: deadline)) ?? false }
        return CollectionTraces(
            directory: files?.directory,
            files: files?.unused ?? [],
            locked: locked.compactMap { try? $0.label(by: deadline) }
        )
    }
}
