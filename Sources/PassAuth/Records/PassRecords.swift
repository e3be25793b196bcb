internal import FoundationEssentials
internal import SecretService
internal import SharedAuth

/// The records of one token store, typed.
struct PassRecords: Sendable {
    /// Whether an explicit act may set aside what cannot be understood, and what it finds instead, nil being nothing.
    enum DamagePolicy<Content> {
        case fail
        case setAside(Content?)
        /// As `setAside`, but nothing of it is kept, as far as the store can still open it: for tokens, of which a
        /// log-out must leave nothing.
        case discard(Content?)

        /// What counts instead of what is damaged; nil where damage is an obstacle.
        var substitute: Content?? {
            switch self {
            case .fail: .none
            case .setAside(let content), .discard(let content): .some(content)
            }
        }
    }

    /// What a record takes in bytes at most. A keyring's item is a third longer: the smallest keyring,
    /// pass-secret-service, stores 64 KiB at once and does not survive 256.
    static let mostBytes = 46 << 10

    let store: any RecordStore
    let scope: RecordKey.Scope
    let project: String
    /// What the kinds of the records begin with.
    let prefix: String
    /// The number of their layout, in every payload.
    let schema: Int
    let now: @Sendable () -> Date
    /// What to do about a damaged record, where the usual advice does not help.
    var remedy: String?

    /// The index's key: whoever watches it learns of every sign-in and log-out.
    var indexKey: RecordKey { key("index") }

    /// Every part of a key is public in the keyring: places have hashed names.
    func key(_ name: String) -> RecordKey {
        RecordKey(scope: scope, project: project, instance: "default", kind: "\(prefix).\(name)")
    }

    /// The index; where there is none, a new one, which differs from the next such by the time.
    func index(_ deadline: Deadline) throws(PassStoreError) -> StoreIndex {
        try storedIndex(deadline) ?? StoreIndex(at: now())
    }

    func storedIndex(_ deadline: Deadline) throws(PassStoreError) -> StoreIndex? {
        try read(indexKey, deadline)
    }

    func bucket(_ place: String, _ deadline: Deadline) throws(PassStoreError) -> Bucket? {
        try content(place, deadline)
    }

    /// What is stored in a place; nil where nothing is.
    func content<Content: Codable>(_ place: String, _ deadline: Deadline) throws(PassStoreError) -> Content? {
        try read(key(place), deadline)
    }

    /// Changes the index while no other process can. When `change` throws, or changes nothing, nothing is written.
    @discardableResult
    func updateIndex<Value>(
        _ deadline: Deadline,
        ifDamaged policy: DamagePolicy<StoreIndex> = .fail,
        _ change: (inout StoreIndex) throws(PassStoreError) -> Value
    ) throws(PassStoreError) -> Value {
        try update(indexKey, deadline, ifDamaged: policy) { (found: inout StoreIndex?) throws(PassStoreError) in
            var index = found ?? StoreIndex(at: now())
            let before = index
            let value = try change(&index)
            if index != before { found = index }
            return value
        }
    }

    /// Changes the index, or a new one in the place of one that is damaged, which is set aside. Whether anybody had
    /// logged out is not known any more then, so it counts as done.
    ///
    /// - Parameter change: Changes the index; learns whether it is a new one.
    /// - Returns: whether it was damaged.
    func updateIndexEvenIfDamaged(
        _ deadline: Deadline,
        _ change: (inout StoreIndex, _ isNew: Bool) -> Void
    ) throws(PassStoreError) -> Bool {
        let new = StoreIndex(at: now(), hasLoggedOut: true)
        return try updateIndex(deadline, ifDamaged: .setAside(new)) { index in
            let isNew = index == new
            change(&index, isNew)
            return isNew
        }
    }

    /// Changes what is under a key, nil being nothing, while no other process can.
    func update<Content: Codable & Equatable, Value>(
        _ key: RecordKey,
        _ deadline: Deadline,
        ifDamaged policy: DamagePolicy<Content> = .fail,
        _ change: (inout Content?) throws(PassStoreError) -> Value
    ) throws(PassStoreError) -> Value {
        var outcome: Result<Value, PassStoreError>?
        var wanted: Content?
        do throws(RecordStoreError) {
            try store.update(key, by: deadline) { stored in
                let decision = Result { () throws(PassStoreError) in
                    let (found, isDamaged) = try content(of: stored, key, policy)
                    wanted = found
                    let value = try change(&wanted)
                    if isDamaged, case .discard = policy, case .whole = stored {
                        // The store can open it, so it keeps no copy of it either.
                        if let wanted { return (value, RecordChange.write(try encode(wanted, key))) }
                        return (value, RecordChange.delete)
                    }
                    return (value, try self.change(from: found, to: wanted, isDamaged: isDamaged, key))
                }
                outcome = decision.map(\.0)
                return (try? decision.get().1) ?? .keep
            }
        } catch {
            // Done or not, the record itself says so.
            guard error.outcomeIsUnknown, let outcome, let found: Content? = try? read(key, deadline), found == wanted
            else { throw PassStoreError(error) }
            return try outcome.get()
        }
        guard let outcome else { throw PassStoreError(.failed, "The store did not look at \(key). Use one that does.") }
        return try outcome.get()
    }

    /// What a record says, nil when there is none; when it is damaged and that is no obstacle, what counts instead.
    func content<Content: Codable>(
        of stored: StoredRecord,
        _ key: RecordKey,
        _ policy: DamagePolicy<Content>
    ) throws(PassStoreError) -> (Content?, isDamaged: Bool) {
        do throws(PassStoreError) {
            return (try content(of: stored, key), false)
        } catch {
            guard error.code == .damaged, let substitute = policy.substitute else { throw error }
            return (substitute, true)
        }
    }

    /// By how many bytes a record of this content is too long for the smallest keyring; zero for one that fits.
    func excess(of content: some Codable) throws(PassStoreError) -> Int {
        max(0, try encode(content).count - Self.mostBytes)
    }

    /// The payload of a record; refused where it is too long for a keyring.
    func encode(_ content: some Codable, _ key: RecordKey) throws(PassStoreError) -> [UInt8] {
        let payload = try encode(content)
        guard payload.count <= Self.mostBytes else {
            throw PassStoreError(
                .full,
                "What is to be stored as \(key) takes \(payload.count) bytes, and a keyring may hold no more than "
                    + "\(Self.mostBytes) in one item. Store less, or log out to begin with an empty store."
            )
        }
        return payload
    }

    func encode(_ content: some Codable) throws(PassStoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(VersionedPayload(schema: schema, content: content)))
        } catch {
            throw PassStoreError(.failed, "The store's records could not be written as JSON.")
        }
    }

    private func change<Content: Codable & Equatable>(
        from found: Content?,
        to wanted: Content?,
        isDamaged: Bool,
        _ key: RecordKey
    ) throws(PassStoreError) -> RecordChange {
        guard let wanted else { return isDamaged ? .removeDamaged : found == nil ? .keep : .delete }
        if found == wanted, !isDamaged { return .keep }
        let payload = try encode(wanted, key)
        return isDamaged ? .replaceDamaged(payload) : .write(payload)
    }

    private func read<Content: Codable>(_ key: RecordKey, _ deadline: Deadline) throws(PassStoreError) -> Content? {
        let stored: StoredRecord
        do {
            stored = try store.read(key, by: deadline)
        } catch {
            throw PassStoreError(error)
        }
        return try content(of: stored, key, .fail).0
    }

    private func content<Content: Codable>(of stored: StoredRecord, _ key: RecordKey) throws(PassStoreError) -> Content?
    {
        switch stored {
        case .none: return nil
        case .damaged(let reason): throw .damaged(key, reason, remedy)
        case .newer(let reason): throw .newer(key, reason)
        case .whole(let record):
            // The decoder's own message is left out: it may quote the content.
            let payload = Data(record.payload)
            guard let head = try? JSONDecoder().decode(PayloadHead.self, from: payload), head.schema >= 1 else {
                throw .damaged(key, "it names no schema", remedy)
            }
            guard head.schema <= schema else { throw .newer(key, "its schema is \(head.schema)") }
            guard let whole = try? JSONDecoder().decode(VersionedPayload<Content>.self, from: payload) else {
                throw .damaged(key, "parts are missing or of the wrong kind", remedy)
            }
            return whole.content
        }
    }
}

/// What a record's payload is, in JSON: content, under the number of its layout.
struct VersionedPayload<Content: Codable>: Codable {
    let schema: Int
    let content: Content
}

/// The part of a payload that every layout has.
private struct PayloadHead: Decodable {
    let schema: Int
}
