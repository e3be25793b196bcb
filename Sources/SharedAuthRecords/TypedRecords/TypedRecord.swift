/// The bytes of one kind of record and what they mean, and its owner's words for what goes wrong with it.
package protocol RecordCodec<Content, Failure>: Sendable {
    /// What a record says.
    associatedtype Content: Sendable
    /// What the owner's callers catch.
    associatedtype Failure: Error

    /// Reads the payload of a whole record.
    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> Content

    /// Makes the payload of a record that is to go in the place of what was found.
    func encode(_ content: Content, over found: StoredRecord) throws(Failure) -> [UInt8]

    /// The error for a store that failed.
    func failure(of error: RecordStoreError) -> Failure

    /// The error for a record that cannot be read.
    func failure(of flaw: RecordFlaw) -> Failure
}

/// Why a record cannot be read; the text goes on from "it is damaged:" or "it is newer:", and holds nothing secret.
package enum RecordFlaw: Error, Hashable {
    /// It holds no byte.
    case empty
    /// It is no record of its kind.
    case damaged(String)
    /// It has a format that is newer than this library.
    case newer(String)

    /// The text, for a message.
    package var reason: String {
        switch self {
        case .empty: "it is empty"
        case .damaged(let reason), .newer(let reason): reason
        }
    }
}

extension StoredRecord {
    /// What the record says, by its payload; nil if there is none.
    ///
    /// - Throws: why it cannot be read: its frame, or what `decode` throws.
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

/// What a read or an update makes of a record that is damaged. One of a newer version always fails, and is never touched.
package enum DamagePolicy: Sendable {
    /// It fails with that.
    case fail
    /// It counts as none where it holds no byte, so that there is nothing to lose; else the update fails.
    case replaceEmpty
    /// It counts as none, and is set aside when something is written or deleted.
    case setAside
    /// As `setAside`, but no copy is kept of what the store can open: for what a sign-out must leave nothing of.
    case discard
}

/// One record of a store, read and changed as what it says.
package struct TypedRecord<Codec: RecordCodec>: Sendable {
    /// What was found.
    package struct Found: Sendable {
        /// What the record says; nil if there is none that counts.
        package var content: Codec.Content?
        /// The write that put it there; nil if there is none that counts.
        package var revision: Revision?
        /// Whether something damaged is there that counts as none.
        package var isDamaged = false
    }

    /// What an update does.
    package enum Change {
        /// Leaves what is there, damaged or not.
        case keep
        /// Stores this.
        case store(Codec.Content)
        /// Leaves nothing there.
        case delete
    }

    private let store: any RecordStore
    private let key: RecordKey
    private let codec: Codec

    /// Makes the view of a record.
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

    /// Reads this record and another one of its kind in the same store, in the time of one where the store can.
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

    /// Changes the record while no other process can; when `decide` throws, nothing is changed.
    ///
    /// - Returns: what is there afterwards.
    package func update(
        by deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        _ decide: (Found) throws(Codec.Failure) -> Change
    ) throws(Codec.Failure) -> Found {
        let (_, stored) = try perform(by: deadline, policy) { (found) throws(Codec.Failure) in ((), try decide(found)) }
        return try found(stored, policy)
    }

    /// Changes the record while no other process can; when `decide` throws, nothing is changed.
    ///
    /// - Returns: what `decide` returned with its change.
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
        // The store's closure cannot throw, so that what it came to is kept here.
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
                of: RecordStoreError(.failed, "The store did not look at \(key).", remedy: "Use a store that does.")
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
        case .store(let content):
            let payload = try codec.encode(content, over: stored)
            return keepsCopy ? .replaceDamaged(payload) : .write(payload)
        case .delete:
            if case .none = stored { return .keep }
            return keepsCopy ? .removeDamaged : .delete
        }
    }
}
