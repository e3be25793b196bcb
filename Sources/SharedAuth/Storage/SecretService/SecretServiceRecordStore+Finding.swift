internal import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// Finds a record: where it was last, else by its attributes.
    func find(_ key: RecordKey, within deadline: Deadline) throws(SecretServiceError) -> Finding {
        if let item = places[key] {
            do {
                let secret = try item.secret(within: deadline)
                if let record = try? Envelope.open(secret.bytes, for: key) {
                    return Finding(stored: .whole(record), item: item, rest: [], damaged: [])
                }
            } catch {
                guard error.code == .noSuchItem else { throw error }
            }
            // It moved, or something else is there now.
            places[key] = nil
        }
        return try search(key, within: deadline)
    }

    private func search(_ key: RecordKey, within deadline: Deadline) throws(SecretServiceError) -> Finding {
        let access = Result { () throws(SecretServiceError) in try openDefault(within: deadline) }
        if case .failure(let error) = access, error.code == .locked, try isAllLocked(within: deadline) {
            // A search would have KeePassXC ask the person to unlock.
            throw error
        }
        while true {
            let result = try service.items(matching: key.queryAttributes, within: deadline)
            places.noteLocked(result.locked, of: key)
            guard result.locked.isEmpty else { throw .locked("The keyring that holds the record") }
            // An item that is deleted, replaced or locked meanwhile makes the answer old: ask again.
            guard let pieces = try pieces(of: result.unlocked, key, within: deadline) else { continue }
            if pieces.isEmpty {
                // Only where it could be seen is nothing really nothing.
                if try openDedicated(for: key, within: deadline) == nil { _ = try access.get() }
                return .nothing
            }
            let finding = sort(pieces, key)
            // Where there is company, the next look has to see it too, and mend it.
            places[key] = finding.needsHealing ? nil : finding.item
            return finding
        }
    }

    /// Whether there is nothing to find in any collection before something is unlocked.
    private func isAllLocked(within deadline: Deadline) throws(SecretServiceError) -> Bool {
        for collection in try service.collections(within: deadline) {
            do throws(SecretServiceError) {
                if try !collection.isLocked(within: deadline) { return false }
            } catch {
                guard error.code == .noSuchCollection else { throw error }
            }
        }
        return true
    }

    /// What the items of this key hold; nil when one of them can no longer be read.
    private func pieces(
        of found: [SecretItem],
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(SecretServiceError) -> [Finding.Piece]? {
        let attributes: [[String: String]]
        let secrets: [SecretItem: Secret]
        do throws(SecretServiceError) {
            (attributes, secrets) = try service.attributes(of: found, within: deadline) {
                () throws(SecretServiceError) in try service.secrets(of: found, within: deadline)
            }
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return nil
        }
        if attributes.contains(where: RecordKey.isKeePassXC) { places.areChangedInPlace = true }
        let items = zip(found, attributes).filter { key.isNamed(by: $0.1) }.map(\.0)
        let pieces = items.compactMap { item in secrets[item].map { Finding.Piece(item: item, secret: $0) } }
        return pieces.count == items.count ? pieces : nil
    }

    /// Chooses the newest whole record; the rest is what is left of other writers and other times.
    private func sort(_ pieces: [Finding.Piece], _ key: RecordKey) -> Finding {
        var whole: [(record: Record, piece: Finding.Piece)] = []
        var reason: String?
        for piece in pieces {
            do throws(Envelope.Flaw) {
                whole.append((try Envelope.open(piece.secret.bytes, for: key), piece))
            } catch {
                switch error {
                case .newer(let reason): return Finding(stored: .newer(reason), item: piece.item, rest: [], damaged: [])
                case .damaged(let text): reason = reason ?? text
                case .foreign: reason = reason ?? "it is the record of another slot"
                }
            }
        }
        // Of two records with one counter either will do, as long as every process chooses the same.
        let newest = whole.max { left, right in
            (left.record.revision.counter, left.record.revision.nonce)
                < (right.record.revision.counter, right.record.revision.nonce)
        }
        guard let newest else {
            return Finding(stored: reason.map(StoredRecord.damaged) ?? .none, item: nil, rest: [], damaged: pieces)
        }
        let rest = pieces.filter { $0.item != newest.piece.item }
        return Finding(stored: .whole(newest.record), item: newest.piece.item, rest: rest, damaged: [])
    }
}
