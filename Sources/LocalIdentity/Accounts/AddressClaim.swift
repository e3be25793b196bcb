internal import SharedAuth

/// An entry that keeps an e-mail address for an account of another shard.
///
/// An account never moves, as its uid says where it is; but an address that it is given later may belong to another shard. There,
/// this entry says that it is taken, and by whom. It is stored as an account without a password, whose uid is the other's, `@`, and
/// letters that bring it into the shard: versions of the library that do not know of it leave it alone, and take the address for
/// taken.
enum AddressClaim {
    /// How many seconds a claim stands whose account does not have the address: until then it may be about to get it.
    static let grace = 60

    /// Makes an entry.
    static func make(
        of email: EmailAddress,
        for account: LocalAccount,
        at time: Int,
        _ random: (_ count: Int) -> [UInt8]
    ) -> LocalAccount {
        let shard = AccountShard.number(of: email, tenantID: account.tenantID)
        while true {
            let uid = "\(account.uid)@\(AccountID.make(random).prefix(8))"
            guard AccountShard.number(of: uid) == shard else { continue }
            return LocalAccount(uid: uid, tenantID: account.tenantID, email: email.text, created: time)
        }
    }
}

extension LocalAccount {
    /// The uid of the account that this entry keeps an address for; nil for an account.
    var claimant: String? {
        let parts = uid.split(separator: "@", maxSplits: 1)
        return parts.count == 2 ? String(parts[0]) : nil
    }
}
