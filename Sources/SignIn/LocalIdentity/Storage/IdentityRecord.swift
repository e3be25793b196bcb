package import SharedAuth

/// One of the records of a project's accounts, for tools that examine or repair them.
package enum IdentityRecord: Sendable, Hashable {
    /// The keys that sign and seal tokens.
    case keys
    /// A part of the accounts.
    case accounts(shard: Int)

    /// All records that a project can have.
    package static var all: [IdentityRecord] { [.keys] + (0..<AccountShard.count).map { .accounts(shard: $0) } }

    /// Creates the record with a name; nil if there is no such record.
    package init?(name: String) {
        guard let record = Self.all.first(where: { $0.name == name }) else { return nil }
        self = record
    }

    /// The name: `identity-keys`, or `identity-accounts-00` to `identity-accounts-15`.
    package var name: String { key(of: "default").kind }

    func key(of project: String) -> RecordKey {
        switch self {
        case .keys: .identityKeys(of: project)
        case .accounts(let shard): .identityAccounts(shard, of: project)
        }
    }

    /// Reads the whole record and checks it. A missing record is not an error. Blocks until the store returns, and
    /// writes nothing.
    ///
    /// - Returns: True if the record exists.
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or an error of the store. The message names the record
    ///   and says what to do.
    package func check(
        in store: any RecordStore,
        project: String,
        by deadline: Deadline
    ) throws(AuthError) -> Bool {
        try Self.isStored(codec(of: project), in: store, by: deadline)
    }

    /// Sets a damaged record aside, so that the user can find it in the keyring application or in the store's
    /// directory, and removes it from its place. Leaves a missing or readable record unchanged. Blocks until the store
    /// returns.
    ///
    /// - Returns: True if the record was damaged.
    /// - Throws: `recordVersionUnsupported` for a record of a newer version, which is kept; an error of the store.
    package func setAsideIfDamaged(
        in store: any RecordStore,
        project: String,
        by deadline: Deadline
    ) throws(AuthError) -> Bool {
        try Self.setAsideIfDamaged(codec(of: project), in: store, by: deadline)
    }

    private func codec(of project: String) -> any IdentityCodec {
        switch self {
        case .keys: IdentityKeysCodec(project: project)
        case .accounts(let shard): AccountShardCodec(shard, project: project)
        }
    }

    private static func isStored<Codec: IdentityCodec>(
        _ codec: Codec,
        in store: any RecordStore,
        by deadline: Deadline
    ) throws(AuthError) -> Bool {
        try TypedRecord(codec.key, in: store, codec).read(by: deadline).content != nil
    }

    private static func setAsideIfDamaged<Codec: IdentityCodec>(
        _ codec: Codec,
        in store: any RecordStore,
        by deadline: Deadline
    ) throws(AuthError) -> Bool {
        try TypedRecord(codec.key, in: store, codec).update(by: deadline, ifDamaged: .setAside) {
            (found) throws(AuthError) in
            (found.isDamaged, found.isDamaged ? .delete : .keep)
        }
    }
}

extension RecordKey {
    /// Returns the key of the record with a project's keys.
    static func identityKeys(of project: String) -> RecordKey { identity("identity-keys", of: project) }

    /// Returns the key of the record with a shard of a project's accounts.
    static func identityAccounts(_ shard: Int, of project: String) -> RecordKey {
        identity("identity-accounts-\(shard < 10 ? "0" : "")\(shard)", of: project)
    }

    /// Returns a key with a fixed instance name: all apps of the project share the accounts, whatever the name of their
    /// `AuthApp`.
    private static func identity(_ kind: String, of project: String) -> RecordKey {
        RecordKey(scope: .project, project: project, instance: "default", kind: kind)
    }
}
