internal import SecretService

extension SecretServiceRecordStore {
    /// Writes a record over what was found, under the next revision.
    func write(
        _ payload: [UInt8],
        over finding: Finding,
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) -> StoredRecord {
        let record = Record(payload: payload, revision: .following(finding.stored.revision, nonce: random()))
        let collection: SecretCollection
        if let item = finding.item {
            collection = item.collection
        } else {
            collection = try home(of: key, within: deadline)
        }
        let item: SecretItem
        do {
            item = try put(record, in: collection, key, over: finding.item, within: deadline)
        } catch {
            // Whatever happened, the item has to be looked for.
            places.forgetAll()
            throw error
        }
        places[key] = item
        if let old = finding.item, old != item { clearAway([old], unlike: record, key, within: deadline) }
        return .whole(record)
    }

    /// Puts a record into its item, which is made if there is none.
    private func put(
        _ record: Record,
        in collection: SecretCollection,
        _ key: RecordKey,
        over known: SecretItem?,
        within deadline: Deadline
    ) throws(SecretServiceError) -> SecretItem {
        let secret = Secret(Envelope.seal(record, for: key))
        if let known, places.areChangedInPlace {
            do {
                try known.setSecret(secret, within: deadline)
                return known
            } catch {
                guard error.code == .noSuchItem else { throw error }
            }
        }
        while true {
            let item = try collection.createItem(
                label: key.label,
                attributes: key.itemAttributes,
                secret: secret,
                replacing: !places.areChangedInPlace,
                within: deadline
            )
            if item == known { return item }
            if try isOurs(item, key, within: deadline) { return item }
        }
    }

    /// Whether an item just written has our attributes alone.
    ///
    /// A provider may replace a stranger's item that has ours and more, and some leave it with those: no peer would take it
    /// for the record. It is a stranger's no longer, and goes.
    private func isOurs(
        _ item: SecretItem,
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) -> Bool {
        do {
            let attributes = try item.attributes(within: deadline)
            if RecordKey.isKeePassXC(attributes) { places.areChangedInPlace = true }
            if key.isNamed(by: attributes) { return true }
            try delete(item, within: deadline)
            return false
        } catch {
            throw SecretServiceError(
                code: error.code,
                message: error.message,
                outcomeIsUnknown: true,
                remoteErrorName: error.remoteErrorName
            )
        }
    }

    /// Deletes what is left in a record's place beside the record just written. (When a provider replaces, it chooses
    /// among the items that have our attributes; peers would go on reading the one they know.)
    ///
    /// What cannot be deleted now is set aside by the next look.
    func clearAway(
        _ items: [SecretItem],
        unlike record: Record,
        _ key: RecordKey,
        within deadline: Deadline
    ) {
        for item in items where item != places[key] {
            do {
                // One item may have two paths.
                let secret = try item.secret(within: deadline)
                if (try? Envelope.open(secret.bytes, for: key)) == record { continue }
                try delete(item, within: deadline)
            } catch SecretServiceError.Code.noSuchItem {
                continue
            } catch {
                return places[key] = nil
            }
        }
    }
}
