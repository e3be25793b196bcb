internal import Dispatch
internal import SecretService
internal import SharedAuth

/// The identity provider's records: its keys and its accounts. Each call runs on a thread of its own, since stores
/// block.
struct IdentityRecords: Sendable {
    let store: any RecordStore
    let project: String
    let timeout: Duration

    /// What becomes of a record in whose place there is something empty.
    enum EmptyRecordPolicy {
        /// It is damage: a refresh or a read must not treat it as no record.
        case refuse
        /// It counts as none, and what is written goes in its place: a sign-in or a new account says what is to be
        /// there.
        case replace
    }

    /// The project's keys, made when there are none. They are read each time, so that no process works with keys that
    /// the project does not have any more.
    func keys(ifEmpty policy: EmptyRecordPolicy = .refuse) async throws(AuthError) -> IdentityKeys {
        try await call { (deadline) throws(AuthError) in
            let key = RecordKey.identityKeys(of: project)
            if let keys = try Self.keys(in: read(key, deadline), key, ifEmpty: policy) { return keys }
            let stored: StoredRecord
            do throws(RecordStoreError) {
                stored = try makeKeys(key, ifEmpty: policy, deadline)
            } catch {
                // Another process made keys at the same time, and no lock is shared with it: whichever are there now
                // count.
                guard error.code == .conflict else { throw AuthError(error, of: key) }
                stored = try read(key, deadline)
            }
            guard let keys = try Self.keys(in: stored, key, ifEmpty: .refuse) else {
                throw AuthError(.conflict, "Another process deleted \(key) at the same time. Try again.")
            }
            return keys
        }
    }

    /// A shard of the accounts, as it stands.
    func shard(
        _ number: Int,
        ifEmpty policy: EmptyRecordPolicy = .refuse
    ) async throws(AuthError) -> AccountShard {
        try await call { (deadline) throws(AuthError) in
            let key = RecordKey.identityAccounts(number, of: project)
            return try Self.shard(number, in: read(key, deadline), key, ifEmpty: policy)
        }
    }

    /// Changes the shard of an account while no other process can; when `change` throws, nothing is changed.
    @discardableResult
    func update<Value: Sendable>(
        accountOf uid: String,
        ifEmpty policy: EmptyRecordPolicy = .refuse,
        _ change: @escaping @Sendable (inout AccountShard) throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await call { (deadline) throws(AuthError) in
            let number = AccountShard.number(of: uid)
            let key = RecordKey.identityAccounts(number, of: project)
            var outcome: Result<Value, AuthError>?
            do throws(RecordStoreError) {
                try store.update(key, by: deadline) { stored in
                    let decision = Result { () throws(AuthError) in
                        let before = try Self.shard(number, in: stored, key, ifEmpty: policy)
                        var after = before
                        let value = try change(&after)
                        if after == before { return (value, RecordChange.keep) }
                        return (value, try Self.change(&after, over: stored, sparing: uid))
                    }
                    outcome = decision.map(\.0)
                    return (try? decision.get().1) ?? .keep
                }
            } catch {
                throw AuthError(error, of: key)
            }
            guard let outcome else {
                throw AuthError(.keychainError, "The store did not look at \(key). Use a store that does.")
            }
            return try outcome.get()
        }
    }

    // MARK: Plumbing

    /// Runs work off the caller's thread; the timeout counts from the call.
    private func call<Value: Sendable>(
        _ work: @escaping @Sendable (Deadline) throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let deadline = Deadline.after(timeout)
        // A queue of its own gets a thread at once; a concurrent one waits long before it adds to threads that block.
        let queue = DispatchQueue(label: "LocalIdentity.IdentityRecords")
        return try await queue.perform { () throws(AuthError) in try work(deadline) }
    }

    private func read(_ key: RecordKey, _ deadline: Deadline) throws(AuthError) -> StoredRecord {
        do {
            return try store.read(key, by: deadline)
        } catch {
            throw AuthError(error, of: key)
        }
    }

    /// Writes new keys, unless anything that counts is there.
    private func makeKeys(
        _ key: RecordKey,
        ifEmpty policy: EmptyRecordPolicy,
        _ deadline: Deadline
    ) throws(RecordStoreError) -> StoredRecord {
        guard let payload = try? VersionedContent.encode(IdentityKeys().stored) else { return .none }
        return try store.update(key, by: deadline) { stored in
            if case .none = stored { return .write(payload) }
            return stored.isEmpty && policy == .replace ? .replaceDamaged(payload) : .keep
        }
    }

    /// The keys that are stored; nil when none are.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`.
    static func keys(
        in stored: StoredRecord,
        _ key: RecordKey,
        ifEmpty policy: EmptyRecordPolicy
    ) throws(AuthError) -> IdentityKeys? {
        if try isEmpty(stored, key, policy) { return nil }
        guard let content = try VersionedContent<IdentityKeys.Stored>.decode(stored, of: key) else { return nil }
        guard let keys = IdentityKeys(content) else { throw .damaged("its keys are none", key) }
        return keys
    }

    /// The accounts that are stored, if only none.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`.
    static func shard(
        _ number: Int,
        in stored: StoredRecord,
        _ key: RecordKey,
        ifEmpty policy: EmptyRecordPolicy
    ) throws(AuthError) -> AccountShard {
        if try isEmpty(stored, key, policy) { return AccountShard() }
        guard let shard = try VersionedContent<AccountShard>.decode(stored, of: key) else { return AccountShard() }
        guard shard.isConsistent(as: number) else { throw .damaged("its accounts contradict each other", key) }
        return shard
    }

    private static func isEmpty(
        _ stored: StoredRecord,
        _ key: RecordKey,
        _ policy: EmptyRecordPolicy
    ) throws(AuthError) -> Bool {
        guard stored.isEmpty else { return false }
        if policy == .refuse { throw .empty(key) }
        return true
    }

    /// The change that writes a shard or, when no account is left, deletes it. A shard that is too large loses
    /// anonymous accounts first, then sessions that others of their accounts outlive.
    private static func change(
        _ shard: inout AccountShard,
        over stored: StoredRecord,
        sparing uid: String
    ) throws(AuthError) -> RecordChange {
        if shard.isEmpty { return .delete }
        var payload = try VersionedContent.encode(shard)
        while payload.count + shard.growth > AccountShard.sizeLimit {
            guard shard.dropAnonymous(sparing: uid) || shard.dropSession() else {
                throw AuthError(
                    .quotaExceeded,
                    "There is no room for more in this part of the project's accounts. Delete accounts that are not used "
                        + "any more."
                )
            }
            payload = try VersionedContent.encode(shard)
        }
        return stored.isEmpty ? .replaceDamaged(payload) : .write(payload)
    }
}
