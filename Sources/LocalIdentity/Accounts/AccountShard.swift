internal import Crypto
internal import SharedAuth

/// The accounts that one record holds.
///
/// An account belongs to the shard that its uid's hash says. The uid of an account with an address is drawn so that the
/// hash of the address says the same: one record decides whether an address is taken, in one atomic update.
struct AccountShard: Sendable, Hashable, Codable {
    /// How many shards a project has.
    static let count = 16
    /// How many anonymous accounts a shard keeps.
    static let anonymousLimit = 64
    /// How many bytes a shard may have, those included by which its sessions will grow.
    static let sizeLimit = 60_000

    private(set) var accounts: [LocalAccount] = []

    /// The shard of a uid.
    static func number(of uid: String) -> Int { number(hashing: uid) }

    /// The shard of an address within a tenant.
    static func number(of email: EmailAddress, tenantID: String?) -> Int {
        number(hashing: "\(email.text)\n\(tenantID ?? "")")
    }

    private static func number(hashing text: String) -> Int {
        Int(Array(SHA256.hash(data: Array(text.utf8)))[0]) % count
    }

    var isEmpty: Bool { accounts.isEmpty }

    /// Whether the accounts are all of this shard, once each, and can be worked with.
    func isConsistent(as number: Int) -> Bool {
        Set(accounts.map(\.uid)).count == accounts.count
            && accounts.allSatisfy { account in
                Self.number(of: account.uid) == number && account.password?.isUsable ?? true
            }
    }

    /// The account of a uid.
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

    /// The account of an address within a tenant.
    func account(withEmail email: EmailAddress, tenantID: String?) -> LocalAccount? {
        // By its bytes, as it was hashed: to `==` one letter and the two it is composed of are the same.
        accounts.first { $0.email.map { $0.utf8.elementsEqual(email.text.utf8) } ?? false && $0.tenantID == tenantID }
    }

    /// The account of a uid.
    ///
    /// - Throws: `userNotFound`.
    func knownAccount(_ uid: String) throws(AuthError) -> LocalAccount {
        guard let account = self[uid] else {
            throw AuthError(.userNotFound, "The account does not exist any more. Sign in again or create a new one.")
        }
        return account
    }

    /// The account of a uid, if it may be used.
    ///
    /// - Throws: `userNotFound`, `userDisabled`.
    func activeAccount(_ uid: String) throws(AuthError) -> LocalAccount {
        let account = try knownAccount(uid)
        guard !account.isDisabled else {
            throw AuthError(.userDisabled, "The account is disabled. Ask the administrator of this project's accounts.")
        }
        return account
    }

    /// Adds an account; where there are too many anonymous ones, the one unused the longest makes room.
    mutating func add(_ account: LocalAccount) {
        if account.isAnonymous {
            while accounts.count(where: \.isAnonymous) >= Self.anonymousLimit, dropAnonymous() {}
        }
        accounts.append(account)
    }

    /// Drops the anonymous account that was unused the longest, `uid` excepted; false when there is none.
    mutating func dropAnonymous(sparing uid: String? = nil) -> Bool {
        let candidates = accounts.indices.filter { accounts[$0].isAnonymous && accounts[$0].uid != uid }
        guard let victim = candidates.min(by: { accounts[$0].used < accounts[$1].used }) else { return false }
        accounts.remove(at: victim)
        return true
    }

    /// Ends the session that was unused the longest, of all that are not the last used of their account; false when
    /// there is none.
    mutating func dropSession() -> Bool {
        let candidates = accounts.indices.compactMap { place in
            accounts[place].oldestSession.map { (place, used: $0) }
        }
        guard let victim = candidates.min(by: { $0.used < $1.used }) else { return false }
        accounts[victim.0].endOldestSession()
        return true
    }

    /// How many bytes the sessions will grow by, which are kept free: who is signed in finds room for the next token.
    var growth: Int {
        accounts.reduce(0) { $0 + $1.sessions.count { $0.rotation == nil } } * Session.rotationSize
    }
}
