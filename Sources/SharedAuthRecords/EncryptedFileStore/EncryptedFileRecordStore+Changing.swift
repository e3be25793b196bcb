internal import SecretService
internal import Synchronization

extension EncryptedFileRecordStore {
    /// Carries a change out on what was found; the caller holds the record's lock.
    func carryOut(
        _ change: RecordChange,
        on stored: StoredRecord,
        _ key: RecordKey,
        in directory: borrowing StoreDirectory,
        _ cipher: RecordCipher?,
        by deadline: Deadline
    ) throws(RecordStoreError) -> StoredRecord {
        switch change {
        case .keep:
            return stored
        case .write(let payload), .replaceDamaged(let payload):
            let writer: RecordCipher
            if let cipher { writer = cipher } else { writer = try makeStore(in: directory, by: deadline) }
            let record = Record(payload: payload, revision: revisions.revision(after: stored.revision))
            let bytes = try writer.seal(record, for: key)
            var aside: String?
            // Of nothing there is no copy.
            if case .replaceDamaged = change, !stored.isEmpty {
                aside = key.asideName(SetAsideRecord.number(revisions))
            }
            try directory.replace(key.fileName, with: bytes, keeping: aside)
            if aside != nil { trimSetAside(of: key, in: directory) }
            return .whole(record)
        case .delete:
            try directory.remove(key.fileName)
            return .none
        case .removeDamaged where stored.isEmpty:
            try directory.remove(key.fileName)
            return .none
        case .removeDamaged:
            try directory.move(key.fileName, to: key.asideName(SetAsideRecord.number(revisions)))
            trimSetAside(of: key, in: directory)
            return .none
        }
    }

    /// What was set aside of a record, in no order.
    func setAsideRecords(
        of key: RecordKey,
        in directory: borrowing StoreDirectory
    ) throws(RecordStoreError) -> [SetAsideRecord] {
        try directory.names().compactMap { name in
            guard name.hasPrefix(key.asidePrefix) else { return nil }
            return SetAsideRecord(number: name.dropFirst(key.asidePrefix.count), place: name, revisions)
        }
    }

    /// Removes the oldest of what was set aside, if that is too much. Where it fails, the next time does it.
    private func trimSetAside(of key: RecordKey, in directory: borrowing StoreDirectory) {
        guard let records = try? setAsideRecords(of: key, in: directory) else { return }
        for record in SetAsideRecord.surplus(of: records) { try? directory.remove(record.place) }
    }

    /// Removes what other processes left that died while they wrote, once for each store; a file that somebody is writing
    /// now stays.
    func sweepOthers(in directory: borrowing StoreDirectory) {
        guard !hasSwept.exchange(true, ordering: .relaxed), let leftovers = try? directory.leftovers() else { return }
        for name in leftovers {
            // A name of nobody's file has no lock that could be held.
            guard let lockName = Self.lockName(ofFile: name), let lock = try? lock(lockName, by: .after(.zero)) else {
                continue
            }
            try? directory.sweep(name)
            lock.release()
        }
    }

    /// The name of the lock that whoever writes a file holds; nil for a file that the store does not write.
    private static func lockName(ofFile name: String) -> String? {
        if name == StoreHeader.name { return headerLock }
        guard name.hasSuffix(RecordKey.fileSuffix) else { return nil }
        return RecordKey.lockName("org.sharedauth.lock", digest: String(name.dropLast(RecordKey.fileSuffix.count)))
    }

    private static let headerLock = "org.sharedauth.header"

    /// Writes the header of a new store, unless another process was faster.
    private func makeStore(
        in directory: borrowing StoreDirectory,
        by deadline: Deadline
    ) throws(RecordStoreError) -> RecordCipher {
        let lock = try lock(Self.headerLock, by: deadline)
        defer { lock.release() }
        try directory.sweep(StoreHeader.name)
        return try opened.makeHeader(in: directory, by: deadline)
    }
}

extension RecordKey {
    fileprivate static let fileSuffix = ".record"

    /// The name of the record's file.
    var fileName: String { "\(hexadecimalDigest)\(Self.fileSuffix)" }

    /// What the names begin with of what is set aside of this record.
    fileprivate var asidePrefix: String { "\(hexadecimalDigest).set-aside-" }

    /// A name for what stood in the record's place and was set aside, unreadable or outdated.
    fileprivate func asideName(_ number: UInt64) -> String { "\(asidePrefix)\(String(number, radix: 16))" }
}
