internal import SharedAuth

/// Encodes and decodes one of the identity provider's records.
protocol IdentityCodec: RecordCodec where Failure == AuthError {
    /// The key of the record.
    var key: RecordKey { get }
}

/// Encodes and decodes a project's keys.
struct IdentityKeysCodec: IdentityCodec {
    let key: RecordKey

    init(project: String) { key = IdentityRecord.keys.key(of: project) }

    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> IdentityKeys {
        let stored = try VersionedContent<IdentityKeys.Stored>.decode(payload)
        guard let keys = IdentityKeys(stored) else { throw .damaged("its keys are invalid") }
        return keys
    }

    func encode(_ keys: IdentityKeys, over found: StoredRecord) throws(AuthError) -> [UInt8] {
        try VersionedContent.encode(keys.stored)
    }
}

/// Encodes and decodes a shard of a project's accounts.
struct AccountShardCodec: IdentityCodec {
    let key: RecordKey
    private let number: Int
    private let sparedUID: String?

    /// Creates the codec of a shard.
    ///
    /// - Parameter uid: The account that is about to change. It is not dropped to make room.
    init(_ number: Int, project: String, sparing uid: String? = nil) {
        key = IdentityRecord.accounts(shard: number).key(of: project)
        self.number = number
        sparedUID = uid
    }

    func decode(_ payload: [UInt8]) throws(RecordFlaw) -> AccountShard {
        let shard = try VersionedContent<AccountShard>.decode(payload)
        guard shard.isConsistent(as: number) else { throw .damaged("its accounts contradict each other") }
        return shard
    }

    /// Encodes a shard. If it is too large, drops anonymous accounts first, then sessions whose account has a more
    /// recent one.
    ///
    /// - Throws: `quotaExceeded` if that is not enough.
    func encode(_ shard: AccountShard, over found: StoredRecord) throws(AuthError) -> [UInt8] {
        var shard = shard
        var payload = try VersionedContent.encode(shard)
        while payload.count + shard.growth > AccountShard.sizeLimit {
            guard shard.dropAnonymous(sparing: sparedUID) || shard.dropSession() else {
                throw AuthError(
                    .quotaExceeded,
                    "There is no room left in this part of the project's accounts. Delete accounts that are no longer "
                        + "used."
                )
            }
            payload = try VersionedContent.encode(shard)
        }
        return payload
    }
}

/// The payload of a record: content with the number of its format.
enum VersionedContent<Content: Codable> {
    private static var number: String { "version" }
    private static var present: Int { 1 }

    /// Encodes content in the present format.
    static func encode(_ content: Content) throws(AuthError) -> [UInt8] {
        do {
            return try VersionedPayload(number, present, content).bytes
        } catch {
            throw AuthError(.internalError, "The accounts could not be written as JSON.")
        }
    }

    /// Decodes content of the present format.
    static func decode(_ payload: [UInt8]) throws(RecordFlaw) -> Content {
        try VersionedPayload.content(of: payload, number, upTo: present)
    }
}

// MARK: Errors for apps

extension IdentityCodec {
    func failure(of error: RecordStoreError) -> AuthError {
        let usual: String? =
            switch error.authErrorCode {
            case .recordDamaged: damageRemedy
            case .recordVersionUnsupported: versionRemedy
            default: error.usualRemedy
            }
        return AuthError(
            error.authErrorCode,
            "On \(key): \(error.message)",
            remedy: error.remedy ?? usual,
            underlying: error
        )
    }

    func failure(of flaw: RecordFlaw) -> AuthError {
        switch flaw {
        case .empty:
            AuthError(
                .recordDamaged,
                "The keyring holds an empty item in place of \(key).",
                remedy: "Restore it from a backup, or sign in or create an account: that replaces it."
            )
        case .damaged(let reason):
            AuthError(
                .recordDamaged,
                "The keyring holds a damaged item in place of \(key): \(reason).",
                remedy: damageRemedy
            )
        case .newer(let reason):
            AuthError(
                .recordVersionUnsupported,
                "A newer version of SharedAuth wrote \(key): \(reason).",
                remedy: versionRemedy
            )
        }
    }

    private var damageRemedy: String {
        "It was left unchanged: restore it from a backup, or run 'sharedauth set-aside \(key.kind) --project \(key.project)' to "
            + "continue without it."
    }

    private var versionRemedy: String { "It was left unchanged: update this app." }
}
