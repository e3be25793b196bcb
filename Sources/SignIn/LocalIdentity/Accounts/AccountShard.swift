internal import Crypto
internal import SharedAuth

/// The accounts in one record.
///
/// The hash of an account's uid determines its shard. The uid of a new account with an address is chosen so that the
/// hash of the address gives the same shard: one record decides whether an address is taken, in one atomic update.
struct AccountShard: Sendable, Hashable, Codable {
    /// The number of shards in a project.
    static let count = 16
    /// The maximum number of anonymous accounts in a shard.
    static let anonymousLimit = 64
    /// The maximum size of a shard in bytes, including the future growth of its sessions.
    static let sizeLimit = 60_000

    private(set) var accounts: [LocalAccount] = []

    /// Returns the shard of a uid.
    static func number(of uid: String) -> Int { number(hashing: uid) }

    /// Returns the shard of an address within a tenant.
    static func number(of email: EmailAddress, tenantID: String?) -> Int {
        number(hashing: "\(email.text)\n\(tenantID ?? "")")
    }

    private static func number(hashing text: String) -> Int {
        Int(Array(SHA256.hash(data: Array(text.utf8)))[0]) % count
    }

    var isEmpty: Bool { accounts.isEmpty }

    /// Returns whether all accounts belong to this shard, occur once, and have usable password hashes.
    func isConsistent(as number: Int) -> Bool {
        Set(accounts.map(\.uid)).count == accounts.count
            && accounts.allSatisfy { account in
                Self.number(of: account.uid) == number && account.password?.isUsable ?? true
            }
    }

    /// The account with a uid.
    subscript(uid: String) -> LocalAccount? {
        get { accounts.first { $0.uid == uid } }
        set {
            let place = accounts.firstIndex { $0.uid == uid }
            switch (place, newValue) {
            case (let place?, let account?): accounts[place] = account
            case (let place?, nil): accounts.remove(at: place)
            case (nil, let account?): accounts.append(account)
            case (nil, nil): break
            }
        }
    }

    /// Returns the account with an address within a tenant.
    func account(withEmail email: EmailAddress, tenantID: String?) -> LocalAccount? {
        // Compared by bytes, as it was hashed: `==` treats a precomposed letter and its decomposed form as equal.
        accounts.first { $0.email.map { $0.utf8.elementsEqual(email.text.utf8) } ?? false && $0.tenantID == tenantID }
    }

    /// Returns the account with a uid.
    ///
    /// - Throws: `userNotFound`.
    func knownAccount(_ uid: String) throws(AuthError) -> LocalAccount {
        guard let account = self[uid] else {
            throw AuthError(.userNotFound, "The account no longer exists. Sign in again or create a new one.")
        }
        return account
    }

    /// Returns the account with a uid, if it is enabled.
    ///
    /// - Throws: `userNotFound`, `userDisabled`.
    func activeAccount(_ uid: String) throws(AuthError) -> LocalAccount {
        let account = try knownAccount(uid)
        guard !account.isDisabled else {
            throw AuthError(.userDisabled, "The account is disabled. Ask the administrator of this project's accounts.")
        }
        return account
    }

    /// Adds an account. If there are too many anonymous accounts, drops the least recently used one.
    mutating func add(_ account: LocalAccount) {
        if account.isAnonymous {
            while accounts.count(where: \.isAnonymous) >= Self.anonymousLimit, dropAnonymous() {}
        }
        accounts.append(account)
    }

    /// Drops the least recently used anonymous account except `uid`; returns false if there is none.
    mutating func dropAnonymous(sparing uid: String? = nil) -> Bool {
        let candidates = accounts.indices.filter { accounts[$0].isAnonymous && accounts[$0].uid != uid }
        guard let victim = candidates.min(by: { accounts[$0].used < accounts[$1].used }) else { return false }
        accounts.remove(at: victim)
        return true
    }

    /// Ends the least recently used session that is not the most recently used one of its account; returns false if
    /// there is none.
    mutating func dropSession() -> Bool {
        let candidates = accounts.indices.compactMap { place in
            accounts[place].oldestSession.map { (place, used: $0) }
        }
        guard let victim = candidates.min(by: { $0.used < $1.used }) else { return false }
        accounts[victim.0].endOldestSession()
        return true
    }

    /// The bytes that sessions will grow by. They are reserved so that a signed-in user can always get the next token.
    var growth: Int {
        accounts.reduce(0) { $0 + $1.sessions.count { $0.rotation == nil } } * Session.rotationSize
    }
}
