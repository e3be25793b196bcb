internal import FoundationEssentials
internal import SharedAuth

/// The records of one token store, typed.
struct PassRecords: Sendable {
    /// The most bytes of a record. A keyring's item is a third longer: the smallest keyring,
    /// pass-secret-service, stores 64 KiB at once and does not survive 256.
    static let mostBytes = 46 << 10

    let store: any RecordStore
    let scope: RecordKey.Scope
    let project: String
    /// The beginning of the records' kinds.
    let prefix: String
    /// The number of their layout, in every payload.
    let schema: Int
    let now: @Sendable () -> Date
    /// The remedy for a damaged record, if the usual advice does not help.
    var remedy: String?

    /// The index's key: a watch on it reports every sign-in and log-out.
    var indexKey: RecordKey { key("index") }

    /// Every part of a key is public in the keyring: places have hashed names.
    func key(_ name: String) -> RecordKey {
        RecordKey(scope: scope, project: project, instance: "default", kind: "\(prefix).\(name)")
    }

    /// The index; where there is none, a new one, which differs from the next such by the time.
    func index(by deadline: Deadline) throws(PassStoreError) -> StoreIndex {
        try storedIndex(by: deadline) ?? StoreIndex(at: now())
    }

    func storedIndex(by deadline: Deadline) throws(PassStoreError) -> StoreIndex? {
        try content("index", by: deadline)
    }

    func bucket(_ place: String, by deadline: Deadline) throws(PassStoreError) -> Bucket? {
        try content(place, by: deadline)
    }

    /// Reads the content of a place; nil for none.
    func content<Content: Codable & Sendable>(
        _ place: String,
        by deadline: Deadline
    ) throws(PassStoreError) -> Content? {
        try record(key(place)).read(by: deadline).content
    }

    /// Changes the index while no other process can; when `change` throws or changes nothing, nothing is written.
    @discardableResult
    func updateIndex<Value>(
        by deadline: Deadline,
        _ change: (inout StoreIndex) throws(PassStoreError) -> Value
    ) throws(PassStoreError) -> Value {
        try updateIndex(by: deadline, ifDamaged: .fail, readAs: nil, change)
    }

    /// Changes the index, or a new one in the place of one that is damaged, which is set aside. Whether anybody had
    /// logged out is not known any more then, so it counts as done.
    ///
    /// - Parameter change: Changes the index; learns whether it is a new one.
    /// - Returns: whether it was damaged.
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

    /// Changes what is under a key, nil being nothing, while no other process can.
    ///
    /// - Parameter substitute: what `change` gets in place of a damaged record, where the policy lets it go on.
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
            // Done or not, the record itself says so.
            guard error.code == .outcomeUnknown, let value, let found = try? record.read(by: deadline),
                found.content == wanted
            else { throw error }
            return value
        }
    }

    /// By how many bytes what is to be stored in a place is too long for the smallest keyring; zero if it fits.
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
