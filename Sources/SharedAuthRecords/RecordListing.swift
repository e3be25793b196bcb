package import SecretService

/// A store that knows more than the records it is asked for: what else is there, and what it set aside.
///
/// Whoever keeps many records under keys that only another record tells uses it to clear up after that record was lost.
package protocol RecordListing: RecordStore {
    /// Whether the store can tell the kinds of records that it has.
    var listsKinds: Bool { get }

    /// The kinds of everything that is stored for a key's scope, project and instance and begins so, copies that were set
    /// aside included; nothing where the store cannot tell.
    func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String>

    /// What was set aside of a record, oldest first.
    func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord]

    /// Deletes the copies that were set aside from the places of these keys, which are alike but for their kinds.
    func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError)
}

extension RecordKey {
    /// What the kind of a copy that was set aside goes on with.
    package static let setAsideMark = ".set-aside."

    /// Whether another key differs in its kind at most.
    func isLike(_ other: RecordKey) -> Bool {
        scope == other.scope && project == other.project && instance == other.instance
    }
}

extension SecretServiceRecordStore: RecordListing {
    /// It can: items are found by a part of their attributes.
    package var listsKinds: Bool { true }

    /// One search, and one question for each item found.
    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> {
        Set(try items(like: key, by: deadline) { $0.hasPrefix(prefix) }.map(\.kind))
    }

    /// Deletes the copies, one call for each.
    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        guard let first = keys.first else { return }
        let origins = Set(keys.map { $0.kind + RecordKey.setAsideMark })
        let copies = try items(like: first, by: deadline) { kind in origins.contains { kind.hasPrefix($0) } }
        do throws(SecretServiceError) {
            for copy in copies { try delete(copy.item, by: deadline) }
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// The items of this library for a key's scope, project and instance, of these kinds.
    private func items(
        like key: RecordKey,
        by deadline: Deadline,
        where isWanted: (String) -> Bool
    ) throws(RecordStoreError) -> [(item: SecretItem, kind: String)] {
        var attributes = key.queryAttributes
        attributes["sharedauth-kind"] = nil
        do throws(SecretServiceError) {
            let result = try service.items(matching: attributes, by: deadline)
            guard result.locked.isEmpty else { throw .locked("The keyring that holds the records") }
            var items: [(item: SecretItem, kind: String)] = []
            for item in result.unlocked {
                do throws(SecretServiceError) {
                    let kind = try item.attributes(by: deadline)["sharedauth-kind"] ?? ""
                    if isWanted(kind) { items.append((item, kind)) }
                } catch {
                    guard error.code == .noSuchItem else { throw error }
                }
            }
            return items
        } catch {
            throw RecordStoreError(error)
        }
    }
}

extension EncryptedFileRecordStore: RecordListing {
    /// It cannot: the names of its files are digests.
    package var listsKinds: Bool { false }

    /// Nothing.
    package func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> { [] }

    /// Deletes the copies, which have the names of their records.
    package func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        guard let directory = try StoreDirectory.open(path, steps: steps) else { return }
        let origins = Set(keys.map(\.hexadecimalDigest))
        for name in try directory.names() where name.contains(".set-aside-") {
            if origins.contains(String(name.prefix { $0 != "." })) { try directory.remove(name) }
        }
    }
}
