/// Encodes and decodes one kind of record, and maps store errors to its owner's error type.
package protocol RecordCodec<Content, Failure>: Sendable {
    /// The decoded content of a record.
    associatedtype Content: Sendable
    /// The value that an update stores: usually the content alone.
    associatedtype Draft = Content
    /// The error type of the owner's API.
    associatedtype Failure: Error

    /// Decodes the payload of an intact record.
    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> Content

    /// Encodes the payload of a record that replaces the one that was found.
    func encode(_ draft: Draft, over found: StoredRecord) throws(Failure) -> [UInt8]

    /// Returns the error for a failure of the store.
    func failure(of error: RecordStoreError) -> Failure

    /// Returns the error for a record that cannot be read.
    func failure(of flaw: RecordFlaw) -> Failure
}

/// The reason why a record cannot be read. The text completes a sentence after "it is damaged:" or "it is newer:", and
/// contains no secret.
package enum RecordFlaw: Error, Hashable {
    /// The record has zero bytes.
    case empty
    /// The data is not a valid record of its kind.
    case damaged(String)
    /// The record has a newer format than this library supports.
    case newer(String)

    /// The reason, for a message.
    package var reason: String {
        switch self {
        case .empty: "it is empty"
        case .damaged(let reason), .newer(let reason): reason
        }
    }
}

extension StoredRecord {
    /// Returns the decoded content of the record; nil if there is no record.
    ///
    /// - Throws: The reason why the record cannot be read: a flaw of its envelope, or the error that `decode` throws.
    package func content<Content>(
        _ decode: (_ payload: [UInt8]) throws(RecordFlaw) -> Content
    ) throws(RecordFlaw) -> Content? {
        switch self {
        case .none: nil
        case .empty: throw .empty
        case .damaged(let reason): throw .damaged(reason)
        case .newer(let reason): throw .newer(reason)
        case .whole(let record): try decode(record.payload)
        }
    }
}

/// The treatment of a damaged record by a read or an update. With a record of a newer version, both always fail and
/// change nothing.
package enum DamagePolicy: Sendable {
    /// Fails with the flaw.
    case fail
    /// Treats a record of zero bytes as missing, because it contains nothing to lose. Fails for other damaged records.
    case replaceEmpty
    /// Treats the record as missing, and sets it aside when something is written or deleted.
    case setAside
    /// Like `setAside`, but keeps no copy of a record that the store can open. Used by a sign-out, which must not leave
    /// data behind.
    case discard
}

/// One record of a store, read and changed by its decoded content.
package struct TypedRecord<Codec: RecordCodec>: Sendable {
    /// The result of a read.
    package struct Found: Sendable {
        /// The content of the record; nil if there is no record, or it counts as missing.
        package var content: Codec.Content?
        /// The revision of the record; nil if there is no record, or it counts as missing.
        package var revision: Revision?
        /// Indicates whether a damaged record was found that counts as missing.
        package var isDamaged = false
    }

    /// The change that an update makes.
    package enum Change {
        /// Leaves the record as it is, damaged or not.
        case keep
        /// Stores this content.
        case store(Codec.Draft)
        /// Deletes the record.
        case delete
    }

    private let store: any RecordStore
    private let key: RecordKey
    private let codec: Codec

    /// Creates a typed view of a record.
    package init(_ key: RecordKey, in store: any RecordStore, _ codec: Codec) {
        self.key = key
        self.store = store
        self.codec = codec
    }

    /// Reads the record.
    package func read(
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail
    ) throws(Codec.Failure) -> Found {
        let stored: StoredRecord
        do throws(RecordStoreError) {
            stored = try store.read(key, by: deadline)
        } catch {
            throw codec.failure(of: error)
        }
        return try found(stored, policy)
    }

    /// Reads this record and another one of its kind in the same store, in the time of one read if the store supports
    /// this.
    package func read(
        and other: TypedRecord,
        by deadline: Deadline
    ) -> (Result<Found, Codec.Failure>, Result<Found, Codec.Failure>) {
        let stored = store.read(key, and: other.key, by: deadline)
        return (opened(stored.0), other.opened(stored.1))
    }

    private func opened(_ stored: Result<StoredRecord, RecordStoreError>) -> Result<Found, Codec.Failure> {
        stored.mapError { codec.failure(of: $0) }.flatMap { stored in
            Result { () throws(Codec.Failure) in try found(stored, .fail) }
        }
    }

    /// Changes the record while no other process can. If `decide` throws, nothing is changed.
    ///
    /// - Returns: The record after the update.
    package func update(
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        _ decide: (Found) throws(Codec.Failure) -> Change
    ) throws(Codec.Failure) -> Found {
        let (_, stored) = try perform(by: deadline, policy) { (found) throws(Codec.Failure) in ((), try decide(found)) }
        return try found(stored, policy)
    }

    /// Changes the record while no other process can. If `decide` throws, nothing is changed.
    ///
    /// - Returns: The value that `decide` returned with its change.
    package func update<Value>(
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        _ decide: (Found) throws(Codec.Failure) -> (Value, Change)
    ) throws(Codec.Failure) -> Value {
        try perform(by: deadline, policy, decide).value
    }

    private func perform<Value>(
        by deadline: Deadline,
        _ policy: DamagePolicy,
        _ decide: (Found) throws(Codec.Failure) -> (Value, Change)
    ) throws(Codec.Failure) -> (value: Value, stored: StoredRecord) {
        // The store's closure cannot throw, so its result is kept here.
        var outcome: Result<Value, Codec.Failure>?
        let stored: StoredRecord
        do throws(RecordStoreError) {
            stored = try store.update(key, by: deadline) { stored in
                do throws(Codec.Failure) {
                    let found = try found(stored, policy)
                    let (value, change) = try decide(found)
                    let recordChange = try self.change(of: stored, found, policy, to: change)
                    outcome = .success(value)
                    return recordChange
                } catch {
                    outcome = .failure(error)
                    return .keep
                }
            }
        } catch {
            throw codec.failure(of: error)
        }
        guard let outcome else {
            throw codec.failure(
                of: RecordStoreError(.failed, "The store did not run the update of \(key).", remedy: "Fix the store.")
            )
        }
        return (try outcome.get(), stored)
    }

    private func found(_ stored: StoredRecord, _ policy: DamagePolicy) throws(Codec.Failure) -> Found {
        do throws(RecordFlaw) {
            let content = try stored.content(codec.decode)
            return Found(content: content, revision: stored.revision)
        } catch {
            switch (error, policy) {
            case (.newer, _), (_, .fail), (.damaged, .replaceEmpty): throw codec.failure(of: error)
            case (_, .setAside), (_, .discard), (.empty, .replaceEmpty): return Found(isDamaged: true)
            }
        }
    }

    private func change(
        of stored: StoredRecord,
        _ found: Found,
        _ policy: DamagePolicy,
        to change: Change
    ) throws(Codec.Failure) -> RecordChange {
        var keepsCopy = found.isDamaged
        if case .discard = policy, case .whole = stored { keepsCopy = false }
        switch change {
        case .keep:
            return .keep
        case .store(let draft):
            let payload = try codec.encode(draft, over: stored)
            return keepsCopy ? .replaceDamaged(payload) : .write(payload)
        case .delete:
            if case .none = stored { return .keep }
            return keepsCopy ? .removeDamaged : .delete
        }
    }
}
