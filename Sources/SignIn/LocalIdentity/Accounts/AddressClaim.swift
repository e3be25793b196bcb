internal import FoundationEssentials
internal import SharedAuth

/// Makes entries that reserve an e-mail address for an account in another shard.
///
/// An account never moves, because its uid determines its shard; but an address that it gets later may belong to
/// another shard. There, this entry records that the address is taken, and by which account. It is stored as an account
/// without a password, whose uid is the account's uid, `@`, and eight letters or digits chosen so that it belongs to
/// the shard.
/// Versions of the library that do not know such entries leave them alone and treat the address as taken.
enum AddressClaim {
    /// The number of seconds that a claim is valid although the account does not have the address yet.
    static let grace = 60

    /// Returns whether an entry is older than the grace period. So is one from the future: it was created before the
    /// clock was set back.
    static func hasLapsed(_ entry: LocalAccount, at now: Date) -> Bool { isOlder(entry, than: grace, at: now) }

    /// Returns whether an entry is valid for at least half of the grace period, the time in which a change that relies on
    /// it is stored.
    static func isFresh(_ entry: LocalAccount, at now: Date) -> Bool { !isOlder(entry, than: grace / 2, at: now) }

    private static func isOlder(_ entry: LocalAccount, than seconds: Int, at now: Date) -> Bool {
        let created = Date(timeIntervalSince1970: TimeInterval(entry.created))
        return created.isFromFuture(at: now) || now.wholeSeconds - entry.created > seconds
    }

    /// Creates an entry.
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
    /// The claimant: the uid of the account for which this entry reserves an address. Nil for an account.
    var claimant: String? {
        let parts = uid.split(separator: "@", maxSplits: 1)
        return parts.count == 2 ? String(parts[0]) : nil
    }
}
