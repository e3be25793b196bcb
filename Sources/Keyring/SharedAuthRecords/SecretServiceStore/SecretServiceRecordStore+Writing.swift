internal import SecretService
internal import Synchronization

extension SecretServiceRecordStore {
    /// Carries out a change on a lookup's result.
    func carryOut(
        _ change: RecordChange,
        on result: LookupResult,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> StoredRecord {
        switch change {
        case .keep:
            return result.stored
        case .write(let payload):
            // One that stays where it is needs no copy, and may be one that cannot be copied.
            let inTheWay = result.others.filter { $0.isWorthKeeping && mayReplace($0, result) }
            return .whole(try write(payload, over: result, settingAside: inTheWay, key, by: deadline))
        case .replaceDamaged(let payload):
            let inTheWay = result.others.filter(\.isWorthKeeping) + [result.current].compactMap(\.self)
            return .whole(try write(payload, over: result, settingAside: inTheWay, key, by: deadline))
        case .delete, .removeDamaged:
            try remove(result, keepingCopy: change.keepsCopy, key, by: deadline)
            return .none
        }
    }

    /// Empties a record's place. If other items cannot be removed, an older copy would count again, so a mark of the
    /// deletion takes the place of the current item.
    private func remove(
        _ result: LookupResult,
        keepingCopy: Bool,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) {
        cache.forget(key)
        revisions.noteDeleted(result.revision)
        let (left, error) = clear(result.others, key, by: deadline)
        guard let current = result.current else {
            if let error { throw error }
            return
        }
        guard left.isEmpty else {
            let mark = Envelope.sealDeletion(revisions.revision(after: result.revision), of: key)
            var made = keepingCopy ? [try copyAside(current, key, by: deadline)] : []
            do throws(SecretServiceError) {
                // It must not replace an item that could not be removed.
                made.append(try putFirst(mark, in: current.item.collection, key, by: deadline))
                try end(current.item, with: mark, by: deadline)
            } catch {
                takeBack(made, after: error, by: deadline)
                throw error
            }
            return
        }
        // Last: until here the record is unchanged.
        if keepingCopy { try setAside(current, key, by: deadline) } else { try delete(current.item, by: deadline) }
    }

    /// Deletes an item, or overwrites it with the mark of the deletion: a process that knows the item reads it without a
    /// search, and would not see a mark elsewhere.
    private func end(_ item: SecretItem, with mark: String, by deadline: Deadline) throws(SecretServiceError) {
        do throws(SecretServiceError) {
            try delete(item, by: deadline)
        } catch let refusal {
            do throws(SecretServiceError) {
                try item.setSecret(Secret(mark), by: deadline)
            } catch {
                if error.code == .noSuchItem { return }
                throw error.outcomeIsUnknown ? error : refusal
            }
        }
    }

    private func mayReplace(_ other: LookupResult.Candidate, _ result: LookupResult) -> Bool {
        !(cache.areChangedInPlace && result.current != nil) && result.mayBeReplaced(other)
    }

    /// Copies the unreadable items aside and writes in their place. The place is never empty: another process that
    /// reads in between must not mistake the damage for a sign-out.
    private func write(
        _ payload: [UInt8],
        over result: LookupResult,
        settingAside inTheWay: [LookupResult.Candidate],
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Record {
        let record = Record(payload: payload, revision: revisions.revision(after: result.revision))
        var copies: [SecretItem] = []
        let item: SecretItem
        do throws(SecretServiceError) {
            for candidate in inTheWay { copies.append(try copyAside(candidate, key, by: deadline)) }
            item = try write(record, over: result, key, by: deadline)
        } catch {
            takeBack(copies, after: error, by: deadline)
            throw error
        }
        let copied = Set(inTheWay.map(\.item))
        let others = result.others.filter { !$0.isWorthKeeping || copied.contains($0.item) }
        clearAway(([result.current].compactMap(\.self) + others).map(\.item), besides: item, record, key, by: deadline)
        // The next lookup must find those that were left where they were.
        if others.count < result.others.count { cache.forget(key) }
        if !copies.isEmpty { trimSetAside(of: key, by: deadline) }
        return record
    }

    /// Deletes an item. An item that no longer exists is not an error.
    func delete(_ item: SecretItem, by deadline: Deadline) throws(SecretServiceError) {
        do {
            try item.delete(by: deadline)
        } catch {
            guard error.code == .noSuchItem else { throw error }
        }
    }
}

extension SecretServiceRecordStore {
    /// Writes a record to the item that holds it, or to a new one.
    func write(
        _ record: Record,
        over found: LookupResult,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretItem {
        let collection: SecretCollection
        if let known = found.current?.item {
            collection = known.collection
        } else if let home = found.home {
            collection = home
        } else {
            collection = try home(of: key, by: deadline)
        }
        do throws(SecretServiceError) {
            let item =
                found.isAlone && service.knownDaemon?.keepsAttributes == true
                ? try putFirst(Envelope.seal(record, for: key), in: collection, key, by: deadline)
                : try put(record, in: collection, key, over: found.current?.item, by: deadline)
            cache.remember(item, of: key)
            return item
        } catch {
            // After any error the item must be searched for.
            cache.forgetAll()
            throw error
        }
    }

    /// Creates an item in a record's place that replaces nothing, so that its attributes need no check for those of
    /// another program's item.
    private func putFirst(
        _ text: String,
        in collection: SecretCollection,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretItem {
        try collection.createItem(
            label: key.label,
            attributes: key.itemAttributes,
            secret: Secret(text),
            replacing: false,
            by: deadline
        )
    }

    private func put(
        _ record: Record,
        in collection: SecretCollection,
        _ key: RecordKey,
        over known: SecretItem?,
        by deadline: Deadline
    ) throws(SecretServiceError) -> SecretItem {
        let secret = Secret(Envelope.seal(record, for: key))
        if let known, cache.areChangedInPlace {
            do {
                try known.setSecret(secret, by: deadline)
                return known
            } catch {
                guard error.code == .noSuchItem else { throw error }
            }
        }
        // If a daemon has replaced another program's item, the second attempt creates a new one.
        for replaces in [!cache.areChangedInPlace, false] {
            let item = try collection.createItem(
                label: key.label,
                attributes: key.itemAttributes,
                secret: secret,
                replacing: replaces,
                by: deadline
            )
            if item == known { return item }
            if try isOurs(item, key, by: deadline) { return item }
        }
        throw SecretServiceError(
            code: .protocolViolation,
            message: "The keyring daemon does not keep the attributes of \(key), so it could not be found again; "
                + "it was not stored.",
            remedy: "Use another keyring."
        )
    }

    /// Returns whether a written item has exactly our attributes; deletes it otherwise.
    ///
    /// A daemon may replace another program's item that has our attributes and more, and some daemons keep the
    /// additional ones, so no process would recognize the record. The item now has our secret, so it is deleted.
    private func isOurs(
        _ item: SecretItem,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Bool {
        do throws(SecretServiceError) {
            let attributes = try item.attributes(by: deadline)
            if RecordKey.isKeePassXC(attributes) { cache.areChangedInPlace = true }
            if key.isNamed(by: attributes) { return true }
            // A daemon that restarted locked shows attributes other than those it stores.
            if try item.isLocked(by: deadline) { throw .locked("The keyring that holds the record") }
            try delete(item, by: deadline)
            return false
        } catch {
            throw SecretServiceError(
                code: error.code,
                message: error.message,
                remedy: error.remedy,
                outcomeIsUnknown: true,
                remoteErrorName: error.remoteErrorName
            )
        }
    }

    /// Deletes the other items in a record's place after the write, once the written record can be read. (A replacing
    /// daemon chooses among the items that have our attributes; other processes would continue to read the item they
    /// know.)
    ///
    /// Items that cannot be deleted are left, and the next lookup finds them.
    func clearAway(
        _ items: [SecretItem],
        besides written: SecretItem,
        _ record: Record,
        _ key: RecordKey,
        by deadline: Deadline
    ) {
        let items = items.filter { $0 != written }
        if items.isEmpty { return }
        guard (try? holds(written, record, key, by: deadline)) == true else { return cache.forget(key) }
        let known = repairs.withLock { $0.failures(among: items, of: key) }
        var left = known
        for item in items where !known.contains(item) {
            do throws(SecretServiceError) {
                // One item can have two paths.
                if try !holds(item, record, key, by: deadline) { try delete(item, by: deadline) }
            } catch {
                left.append(item)
            }
        }
        repairs.withLock { [left] in $0.noteTried(items, left: left, of: key) }
        if !left.isEmpty { cache.forget(key) }
    }

    private func holds(
        _ item: SecretItem,
        _ record: Record,
        _ key: RecordKey,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Bool {
        do {
            let secret = try item.secret(by: deadline)
            return (try? Envelope.open(secret.bytes, for: key)) == record
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return false
        }
    }
}
