package import SecretService

extension SecretServiceRecordStore {
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

    /// Deletes copies that are too many, because their originals are still in their place; where that is not known, they
    /// stay.
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
        var wanted = key.queryAttributes
        wanted[RecordKey.kindAttribute] = nil
        var items: [(item: SecretItem, record: SetAsideRecord)] = []
        for item in try service.items(matching: wanted, by: deadline).unlocked {
            let kind: String?
            do throws(SecretServiceError) {
                kind = try item.attributes(by: deadline)[RecordKey.kindAttribute]
            } catch {
                guard error.code == .noSuchItem else { throw error }
                continue
            }
            guard let kind, kind.hasPrefix(key.setAsidePrefix) else { continue }
            let number = kind.dropFirst(key.setAsidePrefix.count)
            guard let record = SetAsideRecord(number: number, place: item.path, revisions) else { continue }
            items.append((item, record))
        }
        return items
    }
}
