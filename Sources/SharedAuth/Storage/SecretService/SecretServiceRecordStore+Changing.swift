internal import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// Carries a change out on what was found.
    func carryOut(
        _ change: RecordChange,
        on finding: Finding,
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) -> StoredRecord {
        switch change {
        case .keep:
            return finding.stored
        case .write(let payload):
            return try write(payload, over: finding, key, within: deadline)
        case .replaceDamaged(let payload):
            try setAside(pieces(of: finding, within: deadline), key, within: deadline)
            return try write(payload, over: .nothing, key, within: deadline)
        case .removeDamaged:
            try setAside(pieces(of: finding, within: deadline), key, within: deadline)
            return .none
        case .delete:
            if let item = finding.item { try delete(item, within: deadline) }
            places[key] = nil
            return .none
        }
    }

    /// Leaves the newest whole record alone in its place, and looks again.
    func heal(
        _ finding: Finding,
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) -> Finding {
        try setAside(finding.rest, key, within: deadline)
        places[key] = nil
        return try find(key, within: deadline)
    }

    private func write(
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
            collection = try openCollection(within: deadline)
        }
        do {
            places[key] = try collection.createItem(
                label: key.label,
                attributes: key.itemAttributes,
                secret: Secret(Envelope.seal(record, for: key)),
                replacing: true,
                within: deadline
            )
        } catch {
            // Whatever happened, the item has to be looked for.
            places.forgetAll()
            throw error
        }
        return .whole(record)
    }

    /// What a damaged record consists of: the items found, or the one item whose payload its owner could not read.
    private func pieces(of finding: Finding, within deadline: Deadline) throws(SecretServiceError) -> [Finding.Piece] {
        guard let item = finding.item else { return finding.damaged }
        return [Finding.Piece(item: item, secret: try item.secret(within: deadline))]
    }

    /// Copies what is in a record's place to where the person can find it in their keyring application, reads the copy
    /// back, and only then deletes the original. (Editing an item's attributes in place does not work everywhere.)
    private func setAside(
        _ pieces: [Finding.Piece],
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) {
        places[key] = nil
        for piece in pieces {
            let aside = key.setAside(random())
            let copy = try piece.item.collection.createItem(
                label: "SharedAuth: set aside, unreadable or outdated: \(key)",
                attributes: aside.itemAttributes,
                secret: piece.secret,
                replacing: false,
                within: deadline
            )
            guard try copy.secret(within: deadline) == piece.secret else {
                throw SecretServiceError(
                    code: .protocolViolation,
                    message: "The keyring did not keep a copy of \(key) as it was; the original is left alone."
                )
            }
            try delete(piece.item, within: deadline)
        }
    }

    /// Deletes an item; one that is gone already is fine.
    private func delete(_ item: SecretItem, within deadline: Deadline) throws(SecretServiceError) {
        do {
            try item.delete(within: deadline)
        } catch {
            guard error.code == .noSuchItem else { throw error }
        }
    }
}
