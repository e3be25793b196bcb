internal import SecretService

extension SecretServiceRecordStore {
    /// Copies an item out of a record's place to where the user can find it in the keyring application, reads the copy
    /// back, and only then deletes the original. (Editing an item's attributes in place does not work with every
    /// daemon.)
    func setAside(
        _ candidate: LookupResult.Candidate,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) {
        let copy = try copyAside(candidate, key, by: deadline)
        do throws(SecretServiceError) {
            try delete(candidate.item, by: deadline)
        } catch {
            takeBack([copy], after: error, by: deadline)
            throw error
        }
        trimSetAside(of: key, by: deadline)
    }

    /// Creates a copy of an item in a record's place, and reads it back.
    func copyAside(
        _ candidate: LookupResult.Candidate,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretItem {
        let copy = try candidate.item.collection.createItem(
            label: "SharedAuth: set aside, unreadable or outdated: \(key)",
            attributes: key.setAside(SetAsideRecord.number(revisions)).itemAttributes,
            secret: candidate.secret,
            replacing: false,
            by: deadline
        )
        do throws(SecretServiceError) {
            if try copy.secret(by: deadline) == candidate.secret { return copy }
            throw SecretServiceError(
                code: .protocolViolation,
                message: "The keyring did not store an exact copy of \(key); the original was not changed."
            )
        } catch {
            takeBack([copy], after: error, by: deadline)
            throw error
        }
    }

    /// Deletes copies whose originals remain in place after an error. If the outcome is unknown, the copies are kept.
    func takeBack(_ copies: [SecretItem], after error: SecretServiceError, by deadline: Deadline) {
        if error.outcomeIsUnknown { return }
        for copy in copies { try? delete(copy, by: deadline) }
    }

    /// Deletes the oldest copies beyond the limit. After a failure, the next call retries.
    func trimSetAside(of key: RecordKey, by deadline: Deadline) {
        guard let items = try? setAsideItems(of: key, by: deadline) else { return }
        let surplus = Set(SetAsideRecord.surplus(of: items.map(\.record)))
        for (item, record) in items where surplus.contains(record) { try? delete(item, by: deadline) }
    }

    private func setAsideItems(
        of key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> [(item: SecretItem, record: SetAsideRecord)] {
        try items(like: key, by: deadline) { $0.hasPrefix(key.setAsidePrefix) }.items.compactMap { item, kind in
            let number = kind.dropFirst(key.setAsidePrefix.count)
            return SetAsideRecord(number: number, place: item.path, revisions).map { (item, $0) }
        }
    }

    /// Returns the unlocked items of this library for a key's scope, project and instance with the wanted kinds, and
    /// whether no locked items exist.
    private func items(
        like key: RecordKey,
        by deadline: Deadline,
        where isWanted: (String) -> Bool
    ) throws(SecretServiceError) -> (items: [(item: SecretItem, kind: String)], areAll: Bool) {
        var attributes = key.queryAttributes
        attributes[RecordKey.kindAttribute] = nil
        let result = try service.items(matching: attributes, by: deadline)
        var items: [(item: SecretItem, kind: String)] = []
        for item in result.unlocked {
            do throws(SecretServiceError) {
                let kind = try item.attributes(by: deadline)[RecordKey.kindAttribute] ?? ""
                if isWanted(kind) { items.append((item, kind)) }
            } catch {
                guard error.code == .noSuchItem else { throw error }
            }
        }
        return (items, result.locked.isEmpty)
    }
}

extension SecretServiceRecordStore: RecordListing {
    /// True, because items are found by a subset of their attributes.
    package var listsKinds: Bool { true }

    /// Makes one search, and one request for each item found.
    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> {
        do throws(SecretServiceError) {
            let found = try items(like: key, by: deadline) { $0.hasPrefix(prefix) }
            guard found.areAll else { throw .locked("The keyring that holds the records") }
            return Set(found.items.map(\.kind))
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Returns the copies set aside from a record, oldest first.
    package func setAsideRecords(
        of key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [SetAsideRecord] {
        do {
            return SetAsideRecord.sorted(try setAsideItems(of: key, by: deadline).map(\.record))
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Deletes the copies with one call for each.
    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        guard let first = keys.first else { return }
        let origins = Set(keys.map { $0.kind + RecordKey.setAsideMark })
        do throws(SecretServiceError) {
            let copies = try items(like: first, by: deadline) { kind in origins.contains { kind.hasPrefix($0) } }
            guard copies.areAll else { throw .locked("The keyring that holds the records") }
            for copy in copies.items { try delete(copy.item, by: deadline) }
        } catch {
            throw RecordStoreError(error)
        }
    }
}
