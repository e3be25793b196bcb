extension EncryptedFileRecordStore: RecordListing {
    /// False: the names of its files are digests.
    package var listsKinds: Bool { false }

    /// Nothing.
    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> { [] }

    /// What was set aside of a record, oldest first.
    package func setAsideRecords(
        of key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [SetAsideRecord] {
        guard let directory = try StoreDirectory.open(path, steps: steps) else { return [] }
        return try SetAsideRecord.sorted(setAsideRecords(of: key, in: directory))
    }

    /// Deletes the copies, which have the names of their records.
    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        guard let directory = try StoreDirectory.open(path, steps: steps) else { return }
        let origins = Set(keys.map(\.hexadecimalDigest))
        for name in try directory.names() {
            if let digest = RecordKey.digest(ofAside: name), origins.contains(digest) { try directory.remove(name) }
        }
    }
}

extension EncryptedFileRecordStore {
    /// What was set aside of a record, in no order.
    func setAsideRecords(
        of key: RecordKey,
        in directory: borrowing StoreDirectory
    ) throws(RecordStoreError) -> [SetAsideRecord] {
        setAsideRecords(of: key.hexadecimalDigest, among: try directory.names())
    }

    /// What was set aside of the record of a digest, among the files of these names.
    func setAsideRecords(of digest: String, among names: [String]) -> [SetAsideRecord] {
        let prefix = RecordKey.asidePrefix(digest: digest)
        return names.compactMap { name in
            guard name.hasPrefix(prefix) else { return nil }
            return SetAsideRecord(number: name.dropFirst(prefix.count), place: name, revisions)
        }
    }

    /// Removes the oldest of what was set aside, if that is too much. Where it fails, the next time does it.
    func trimSetAside(of key: RecordKey, in directory: borrowing StoreDirectory) {
        guard let records = try? setAsideRecords(of: key, in: directory) else { return }
        for record in SetAsideRecord.surplus(of: records) { try? directory.remove(record.place) }
    }
}

extension RecordKey {
    static let fileSuffix = ".record"

    /// The name of the record's file.
    var fileName: String { "\(hexadecimalDigest)\(Self.fileSuffix)" }

    /// The digest of the key whose record's file has this name; nil if it is no record's.
    static func digest(ofFile name: String) -> String? {
        name.hasSuffix(fileSuffix) ? String(name.dropLast(fileSuffix.count)) : nil
    }

    fileprivate static let asideMark = ".set-aside-"

    static func asidePrefix(digest: String) -> String { "\(digest)\(asideMark)" }

    /// The digest of the key of whose record something was set aside under this name; nil if nothing was.
    static func digest(ofAside name: String) -> String? {
        name.contains(asideMark) ? String(name.prefix { $0 != "." }) : nil
    }

    /// A name for what stood in the record's place and was set aside, unreadable or outdated.
    func asideName(_ number: UInt64) -> String {
        "\(Self.asidePrefix(digest: hexadecimalDigest))\(String(number, radix: 16))"
    }
}
