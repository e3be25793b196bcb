package import SharedAuth

/// One of the records in which a project keeps its accounts, for tools that examine or repair them.
package enum IdentityRecord: Sendable, Hashable {
    /// The keys that sign and seal tokens.
    case keys
    /// A part of the accounts.
    case accounts(shard: Int)

    /// Every record that a project can have.
    package static var all: [IdentityRecord] { [.keys] + (0..<AccountShard.count).map { .accounts(shard: $0) } }

    /// The record of this name, if there is one.
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

    /// Reads the record and checks all of it; one that is missing is fine. Blocks until the store answers, and writes
    /// nothing.
    ///
    /// - Returns: whether it is there.
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or what the store reports; the message names the record
    ///   and says what to do.
    package func check(
        in store: any RecordStore,
        project: String,
        by deadline: Deadline
    ) throws(AuthError) -> Bool {
        try Self.isStored(codec(of: project), in: store, by: deadline)
    }

    /// Sets a damaged record aside, where the person can find it in their keyring application or in the store's
    /// directory, and leaves its place empty. One that is missing or can be read is left as it is. Blocks until the
    /// store answers.
    ///
    /// - Returns: whether it was damaged.
    /// - Throws: `recordVersionUnsupported` for a record of a newer version, which stays, or what the store reports.
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
    /// Where a project's keys are.
    static func identityKeys(of project: String) -> RecordKey { identity("identity-keys", of: project) }

    /// Where a shard of a project's accounts is.
    static func identityAccounts(_ shard: Int, of project: String) -> RecordKey {
        identity("identity-accounts-\(shard < 10 ? "0" : "")\(shard)", of: project)
    }

    /// Accounts belong to every app of the project, whatever its `AuthApp` is called, so they all have the same name.
    private static func identity(_ kind: String, of project: String) -> RecordKey {
        RecordKey(scope: .project, project: project, instance: "default", kind: kind)
    }
}
