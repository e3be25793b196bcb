internal import FoundationEssentials
internal import SharedAuth

/// The typed records of one token store.
struct PassRecords: Sendable {
    /// The largest size of a record, in bytes. A keyring's item is a third longer: the smallest keyring,
    /// pass-secret-service, accepts 64 KiB in one write and does not survive 256 KiB.
    static let mostBytes = 46 << 10

    let store: any RecordStore
    let scope: RecordKey.Scope
    let project: String
    /// The prefix of the records' kinds.
    let prefix: String
    /// The number of their layout, written in every payload.
    let schema: Int
    let now: @Sendable () -> Date
    /// The remedy for a damaged record, if it differs from the usual one.
    var remedy: String?

    /// The key of the index; a watch on it reports every sign-in and log-out.
    var indexKey: RecordKey { key("index") }

    /// Returns the key of a record. Every part of a key is public in the keyring, so places have hashed names.
    func key(_ name: String) -> RecordKey {
        RecordKey(scope: scope, project: project, instance: "default", kind: "\(prefix).\(name)")
    }

    /// Returns the index. If it is missing, returns a new one, whose epoch is the current time.
    func index(by deadline: Deadline) throws(PassStoreError) -> StoreIndex {
        try storedIndex(by: deadline) ?? StoreIndex(at: now())
    }

    func storedIndex(by deadline: Deadline) throws(PassStoreError) -> StoreIndex? {
        try content("index", by: deadline)
    }

    func bucket(_ place: String, by deadline: Deadline) throws(PassStoreError) -> Bucket? {
        try content(place, by: deadline)
    }

    /// Reads the content of a place, or nil.
    func content<Content: Codable & Sendable>(
        _ place: String,
        by deadline: Deadline
    ) throws(PassStoreError) -> Content? {
        try record(key(place)).read(by: deadline).content
    }

    /// Changes the index under its lock; writes nothing if `change` throws or changes nothing.
    @discardableResult
    func updateIndex<Value>(
        by deadline: Deadline,
        _ change: (inout StoreIndex) throws(PassStoreError) -> Value
    ) throws(PassStoreError) -> Value {
        try updateIndex(by: deadline, ifDamaged: .fail, readAs: nil, change)
    }

    /// Changes the index. A damaged one is set aside and replaced by a new one. Whether a log-out happened before is
    /// then unknown, so the new one counts as logged out.
    ///
    /// - Parameter change: Changes the index; its second argument is true for a new one.
    /// - Returns: Whether the index was damaged.
    func updateIndexEvenIfDamaged(
        by deadline: Deadline,
        _ change: (inout StoreIndex, _ isNew: Bool) -> Void
    ) throws(PassStoreError) -> Bool {
        let new = StoreIndex(at: now(), hasLoggedOut: true)
        return try updateIndex(by: deadline, ifDamaged: .setAside, readAs: new) { index in
            let isNew = index == new
            change(&index, isNew)
            return isNew
        }
    }

    private func updateIndex<Value>(
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy,
        readAs substitute: StoreIndex?,
        _ change: (inout StoreIndex) throws(PassStoreError) -> Value
    ) throws(PassStoreError) -> Value {
        try update(indexKey, by: deadline, ifDamaged: policy, readAs: substitute) {
            (found: inout StoreIndex?) throws(PassStoreError) in
            var index = found ?? StoreIndex(at: now())
            let before = index
            let value = try change(&index)
            if index != before { found = index }
            return value
        }
    }

    /// Changes the content under a key while holding its lock. Nil means that there is no content.
    ///
    /// - Parameter substitute: The content for `change` in place of a damaged record, if the policy allows the change.
    func update<Content: Codable & Equatable & Sendable, Value>(
        _ key: RecordKey,
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        readAs substitute: Content? = nil,
        _ change: (inout Content?) throws(PassStoreError) -> Value
    ) throws(PassStoreError) -> Value {
        let record: TypedRecord<PassRecordCodec<Content>> = record(key)
        var wanted: Content?
        var value: Value?
        do throws(PassStoreError) {
            return try record.update(by: deadline, ifDamaged: policy) { (found) throws(PassStoreError) in
                (wanted, value) = (found.isDamaged ? substitute : found.content, nil)
                let result = try change(&wanted)
                value = result
                if !found.isDamaged, wanted == found.content { return (result, .keep) }
                return (result, wanted.map { .store($0) } ?? .delete)
            }
        } catch {
            // The record itself shows whether the write was made.
            guard error.code == .outcomeUnknown, let value, let found = try? record.read(by: deadline),
                found.content == wanted
            else { throw error }
            return value
        }
    }

    /// Returns by how many bytes the content for a place is too long for the smallest keyring; zero if it fits.
    func excess<Content: Codable & Sendable>(of content: Content, in key: RecordKey) throws(PassStoreError) -> Int {
        try codec(key).excess(of: content)
    }

    private func record<Content>(_ key: RecordKey) -> TypedRecord<PassRecordCodec<Content>> {
        TypedRecord(key, in: store, codec(key))
    }

    private func codec<Content>(_ key: RecordKey) -> PassRecordCodec<Content> {
        PassRecordCodec(key: key, schema: schema, remedy: remedy)
    }
}
