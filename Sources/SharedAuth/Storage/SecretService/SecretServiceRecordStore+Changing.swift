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
            return try replaceDamaged(with: payload, finding, key, within: deadline)
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
        do throws(SecretServiceError) {
            try setAside(finding.rest, key, within: deadline)
        } catch {
            unhealed.withLock { $0[key] = finding.restItems }
            throw error
        }
        unhealed.withLock { $0[key] = nil }
        places[key] = nil
        return try find(key, within: deadline)
    }

    /// Copies what is damaged aside and writes in its place, which is empty at no instant: a peer that looks in between
    /// must not take the damage for a sign-out.
    private func replaceDamaged(
        with payload: [UInt8],
        _ finding: Finding,
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) -> StoredRecord {
        let pieces = try pieces(of: finding, within: deadline)
        var copies: [SecretItem] = []
        let stored: StoredRecord
        do {
            for piece in pieces { copies.append(try copyAside(piece, key, within: deadline)) }
            stored = try write(payload, over: finding, key, within: deadline)
        } catch {
            takeBack(copies, after: error, within: deadline)
            throw error
        }
        if case .whole(let record) = stored {
            clearAway(pieces.map(\.item), unlike: record, key, within: deadline)
        }
        return stored
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
            let copy = try copyAside(piece, key, within: deadline)
            do throws(SecretServiceError) {
                try delete(piece.item, within: deadline)
            } catch {
                takeBack([copy], after: error, within: deadline)
                throw error
            }
        }
    }

    /// Deletes copies that are too many, because their originals are still in their place; where that is not known, they
    /// stay.
    private func takeBack(_ copies: [SecretItem], after error: SecretServiceError, within deadline: Deadline) {
        if error.outcomeIsUnknown { return }
        for copy in copies { try? delete(copy, within: deadline) }
    }

    private func copyAside(
        _ piece: Finding.Piece,
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) -> SecretItem {
        let copy = try piece.item.collection.createItem(
            label: "SharedAuth: set aside, unreadable or outdated: \(key)",
            attributes: key.setAside(random()).itemAttributes,
            secret: piece.secret,
            replacing: false,
            within: deadline
        )
        do throws(SecretServiceError) {
            if try copy.secret(within: deadline) == piece.secret { return copy }
            throw SecretServiceError(
                code: .protocolViolation,
                message: "The keyring did not keep a copy of \(key) as it was; the original is left alone."
            )
        } catch {
            takeBack([copy], after: error, within: deadline)
            throw error
        }
    }

    /// Deletes an item; one that is gone already is fine.
    func delete(_ item: SecretItem, within deadline: Deadline) throws(SecretServiceError) {
        do {
            try item.delete(within: deadline)
        } catch {
            guard error.code == .noSuchItem else { throw error }
        }
    }
}
