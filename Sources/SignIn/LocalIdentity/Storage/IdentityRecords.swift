internal import Dispatch
internal import SharedAuth

/// The identity provider's records: its keys and its accounts. Stores block, so each call runs on its own thread.
///
/// A refresh or a read throws for an empty record (`fail`). A sign-in or a new account replaces it (`replaceEmpty`).
struct IdentityRecords: Sendable {
    let store: any RecordStore
    let project: String
    let timeout: Duration

    /// Returns the project's keys, creating them if there are none. They are read each time, so that no process uses
    /// keys that the project no longer has.
    func keys(ifDamaged policy: DamagePolicy = .fail) async throws(AuthError) -> IdentityKeys {
        try await call { (deadline) throws(AuthError) in
            let codec = IdentityKeysCodec(project: project)
            let record = TypedRecord(codec.key, in: store, codec)
            if let keys = try record.read(by: deadline, ifDamaged: policy).content { return keys }
            let made: IdentityKeys?
            do throws(AuthError) {
                made = try record.update(by: deadline, ifDamaged: policy) { found in
                    found.content == nil ? .store(IdentityKeys()) : .keep
                }.content
            } catch {
                // Another process, which does not share a lock with this one, created keys at the same time: use the
                // stored ones.
                guard error.code == .conflict else { throw error }
                made = try record.read(by: deadline).content
            }
            guard let made else {
                throw AuthError(.conflict, "Another process deleted \(codec.key) at the same time. Try again.")
            }
            return made
        }
    }

    /// Returns a shard of the accounts.
    func shard(
        _ number: Int,
        ifDamaged policy: DamagePolicy = .fail
    ) async throws(AuthError) -> AccountShard {
        try await call { (deadline) throws(AuthError) in
            let codec = AccountShardCodec(number, project: project)
            let found = try TypedRecord(codec.key, in: store, codec).read(by: deadline, ifDamaged: policy)
            return found.content ?? AccountShard()
        }
    }

    /// Returns the shard of an account. An account that is not there is looked for twice, because apps sign its user out.
    func shard(of uid: String) async throws(AuthError) -> AccountShard {
        let shard = try await shard(AccountShard.number(of: uid))
        return shard[uid] == nil ? try await self.shard(AccountShard.number(of: uid)) : shard
    }

    /// A condition of a change, which concerns another shard.
    struct Condition: Sendable {
        /// The number of the shard that is read at the moment of the change.
        let shard: Int
        let check: @Sendable (AccountShard) throws(AuthError) -> Void
    }

    /// Changes the shard of an account while no other process can, and deletes it if no account is left. If `change`
    /// throws, nothing changes. Before it is reported that the account does not exist, it is looked for once more.
    ///
    /// - Parameters:
    ///   - condition: A condition that is checked while no other process can change the account's shard.
    ///   - change: Makes the change. It may be called twice; the last result counts.
    @discardableResult
    func update<Value: Sendable>(
        accountOf uid: String,
        ifDamaged policy: DamagePolicy = .fail,
        if condition: Condition? = nil,
        _ change: @escaping @Sendable (inout AccountShard) throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await call { (deadline) throws(AuthError) in
            let codec = AccountShardCodec(AccountShard.number(of: uid), project: project, sparing: uid)
            let record = TypedRecord(codec.key, in: store, codec)
            let update = { () throws(AuthError) -> Value in
                try record.update(by: deadline, ifDamaged: policy) { (found) throws(AuthError) in
                    if let condition { try condition.check(read(condition.shard, by: deadline)) }
                    let before = found.content ?? AccountShard()
                    var after = before
                    let value = try change(&after)
                    return (value, after == before ? .keep : after.isEmpty ? .delete : .store(after))
                }
            }
            do throws(AuthError) {
                return try update()
            } catch {
                guard error.code == .userNotFound else { throw error }
                return try update()
            }
        }
    }

    private func read(_ number: Int, by deadline: Deadline) throws(AuthError) -> AccountShard {
        let codec = AccountShardCodec(number, project: project)
        let found = try TypedRecord(codec.key, in: store, codec).read(by: deadline, ifDamaged: .replaceEmpty)
        return found.content ?? AccountShard()
    }

    /// Runs work off the caller's thread. The timeout counts from the call.
    private func call<Value: Sendable>(
        _ work: @escaping @Sendable (Deadline) throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let deadline = Deadline.after(timeout)
        // A new serial queue gets a thread immediately; a concurrent queue waits long before it adds threads for
        // blocked ones.
        let queue = DispatchQueue(label: "LocalIdentity.IdentityRecords")
        return try await queue.perform { () throws(AuthError) in try work(deadline) }
    }
}
