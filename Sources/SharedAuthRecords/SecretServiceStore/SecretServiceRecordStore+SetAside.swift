internal import SecretService

extension SecretServiceRecordStore {
    /// Copies what is in a record's place to where the person can find it in their keyring application, reads the copy
    /// back, and only then deletes the original. (Editing an item's attributes in place does not work everywhere.)
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

    /// Makes a copy of what is in a record's place, and reads it back.
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
                message: "The keyring did not keep a copy of \(key) as it was; the original is left alone."
            )
        } catch {
            takeBack([copy], after: error, by: deadline)
            throw error
        }
    }

    /// Deletes copies that are too many, because their originals are still in their place; where that is not known,
    /// they stay.
    func takeBack(_ copies: [SecretItem], after error: SecretServiceError, by deadline: Deadline) {
        if error.outcomeIsUnknown { return }
        for copy in copies { try? delete(copy, by: deadline) }
    }

    /// Deletes the oldest of what was set aside, if that is too much. Where it fails, the next time does it.
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

    /// The unlocked items of this library for a key's scope, project and instance, of these kinds, and whether there
    /// are no locked ones besides.
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
    /// True: items are found by a part of their attributes.
    package var listsKinds: Bool { true }

    /// One search, and one question for each item found.
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

    /// What was set aside of a record, oldest first.
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

    /// Deletes the copies, one call for each.
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
