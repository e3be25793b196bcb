internal import SecretService

extension EncryptedFileRecordStore {
    /// Carries a change out on what was found; the caller holds the record's lock.
    func carryOut(
        _ change: RecordChange,
        on stored: StoredRecord,
        _ key: RecordKey,
        in directory: borrowing StoreDirectory,
        _ cipher: RecordCipher?,
        within deadline: Deadline
    ) throws(RecordStoreError) -> StoredRecord {
        switch change {
        case .keep:
            return stored
        case .write(let payload), .replaceDamaged(let payload):
            let writer: RecordCipher
            if let cipher { writer = cipher } else { writer = try makeStore(in: directory, within: deadline) }
            let record = Record(payload: payload, revision: .following(stored.revision, nonce: random()))
            let bytes = try writer.seal(record, for: key)
            guard bytes.count <= StoreDirectory.longest else {
                throw RecordStoreError(.failed, "\(key) is too long to be stored (\(payload.count) bytes).")
            }
            var aside: String?
            if case .replaceDamaged = change { aside = key.asideName(random()) }
            try directory.replace(key.fileName, with: bytes, keeping: aside)
            return .whole(record)
        case .delete:
            try directory.remove(key.fileName)
            return .none
        case .removeDamaged:
            try directory.move(key.fileName, to: key.asideName(random()))
            return .none
        }
    }

    /// Writes the header of a new store, unless another process was faster.
    private func makeStore(
        in directory: borrowing StoreDirectory,
        within deadline: Deadline
    ) throws(RecordStoreError) -> RecordCipher {
        let turn = try turn("org.sharedauth.header", within: deadline)
        defer { turn.end() }
        try directory.sweep(StoreHeader.name)
        return try opened.makeHeader(in: directory, within: deadline)
    }
}

extension RecordKey {
    /// The name of the record's file.
    var fileName: String { "\(hexadecimalDigest).record" }

    /// A name for what stood in the record's place and was set aside, unreadable or outdated.
    func asideName(_ number: UInt64) -> String {
        "\(hexadecimalDigest).set-aside-\(String(number, radix: 16))"
    }
}
