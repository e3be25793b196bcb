internal import FoundationEssentials
package import SharedAuthRecords

extension EncryptedFileRecordStore {
    /// Reads the directory once, and each record in it.
    ///
    /// A file that does not contain its key is listed regardless of its kind: a file of an earlier version, or one with
    /// a broken seal.
    package func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] {
        try opened.requireKey()
        guard let directory = try openDirectory() else { return [] }
        guard let cipher = try opened.cipher(in: directory, by: deadline) else { return [] }
        let names = try directory.names()
        var setAside = Dictionary(grouping: names) { name in RecordKey.digest(ofAside: name) ?? "" }
        setAside[""] = nil
        var listed: [ListedRecord] = []
        for digest in Set(names.compactMap(RecordKey.digest(ofFile:))).union(setAside.keys) {
            let copies = setAsideRecords(of: digest, among: setAside[digest] ?? [])
            if let record = try record(of: digest, copies, in: directory, cipher) { listed.append(record) }
        }
        return listed.filter { record in
            record.key?.isOf(project: project, instance: instance, kind: kind) ?? true
        }
    }

    /// Returns the record stored under a digest; nil if there is neither a record nor a copy that was set aside.
    private func record(
        of digest: String,
        _ setAside: [SetAsideRecord],
        in directory: borrowing StoreDirectory,
        _ cipher: RecordCipher
    ) throws(RecordStoreError) -> ListedRecord? {
        guard let bytes = RecordKey.digest(hexadecimal: digest) else { return nil }
        let name = digest + RecordKey.fileSuffix
        var found = RecordCipher.Content(stored: .none)
        var size = 0
        switch try contents(of: name, in: directory) {
        case .none: if setAside.isEmpty { return nil }
        case .unusable(let reason): found = RecordCipher.Content(stored: .damaged(reason))
        case .bytes(let file): (found, size) = (cipher.open(file, digest: bytes), file.count)
        }
        // A copy that was set aside may contain the key.
        for copy in setAside where found.key == nil {
            guard case .bytes(let file) = try contents(of: copy.place, in: directory) else { continue }
            found.key = cipher.open(file, digest: bytes).key
        }
        return ListedRecord(
            key: found.key,
            stored: found.stored,
            size: size,
            modified: directory.modified(name).map { Date(timeIntervalSince1970: Double($0)) },
            setAside: setAside,
            digest: digest,
            file: name
        )
    }

    /// Reads a file. A file without read permission does not prevent the listing of others.
    private func contents(
        of name: String,
        in directory: borrowing StoreDirectory
    ) throws(RecordStoreError) -> SmallFile.Contents {
        do throws(RecordStoreError) {
            return try directory.read(name)
        } catch {
            guard error.code == .denied else { throw error }
            return .unusable(error.message)
        }
    }
}
