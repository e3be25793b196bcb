package import SharedAuthRecords

extension EncryptedFileRecordStore: RecordListing {
    /// False, because the names of its files are digests.
    package var listsKinds: Bool { false }

    /// Returns an empty set, because the names of its files are digests.
    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> { [] }

    /// Returns the copies set aside from a record, oldest first.
    package func setAsideRecords(
        of key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [SetAsideRecord] {
        guard let directory = try StoreDirectory.open(path, steps: steps) else { return [] }
        return try SetAsideRecord.sorted(setAsideRecords(of: key, in: directory))
    }

    /// Deletes the copies, whose names contain the digests of their records.
    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        guard let directory = try StoreDirectory.open(path, steps: steps) else { return }
        let origins = Set(keys.map(\.hexadecimalDigest))
        for name in try directory.names() {
            if let digest = RecordKey.digest(ofAside: name), origins.contains(digest) { try directory.remove(name) }
        }
    }
}

extension EncryptedFileRecordStore {
    /// Returns the copies set aside from a record, unordered.
    func setAsideRecords(
        of key: RecordKey,
        in directory: borrowing StoreDirectory
    ) throws(RecordStoreError) -> [SetAsideRecord] {
        setAsideRecords(of: key.hexadecimalDigest, among: try directory.names())
    }

    /// Returns the copies set aside from the record of a digest, among the files of these names.
    func setAsideRecords(of digest: String, among names: [String]) -> [SetAsideRecord] {
        let prefix = RecordKey.asidePrefix(digest: digest)
        return names.compactMap { name in
            guard name.hasPrefix(prefix) else { return nil }
            return SetAsideRecord(number: name.dropFirst(prefix.count), place: name, revisions)
        }
    }

    /// Removes the oldest copies beyond the limit. After a failure, the next call retries.
    func trimSetAside(of key: RecordKey, in directory: borrowing StoreDirectory) {
        guard let records = try? setAsideRecords(of: key, in: directory) else { return }
        for record in SetAsideRecord.surplus(of: records) { try? directory.remove(record.place) }
    }
}

extension RecordKey {
    static let fileSuffix = ".record"

    /// The name of the record's file.
    var fileName: String { "\(hexadecimalDigest)\(Self.fileSuffix)" }

    /// Returns the key's digest from the name of a record's file; nil for any other file.
    static func digest(ofFile name: String) -> String? {
        name.hasSuffix(fileSuffix) ? String(name.dropLast(fileSuffix.count)) : nil
    }

    fileprivate static let asideMark = ".set-aside-"

    static func asidePrefix(digest: String) -> String { "\(digest)\(asideMark)" }

    /// Returns the key's digest from the name of a copy that was set aside; nil for any other file.
    static func digest(ofAside name: String) -> String? {
        name.contains(asideMark) ? String(name.prefix { $0 != "." }) : nil
    }

    /// Returns a name for a copy that is set aside because it is unreadable or outdated.
    func asideName(_ number: UInt64) -> String {
        "\(Self.asidePrefix(digest: hexadecimalDigest))\(String(number, radix: 16))"
    }
}
