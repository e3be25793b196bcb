/// Draws the ids of accounts: 28 letters and digits, as Firebase's.
enum AccountID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Draws an id.
    static func make(_ random: (_ count: Int) -> [UInt8]) -> String {
        var id: [UInt8] = []
        while id.count < 28 {
            // Six bits reach two places beyond the alphabet; those are drawn again, so that each character is as likely.
            let places = random(28 - id.count).map { Int($0 & 63) }.filter { $0 < alphabet.count }
            id += places.map { alphabet[$0] }
        }
        return String(decoding: id, as: UTF8.self)
    }

    /// Draws an id that belongs to the shard of an address, so that the account is found by either: sixteen tries, on
    /// average.
    static func make(
        inShardOf email: EmailAddress,
        _ tenantID: String?,
        _ random: (_ count: Int) -> [UInt8]
    ) -> String {
        let shard = AccountShard.number(of: email, tenantID: tenantID)
        while true {
            let id = make(random)
            if AccountShard.number(of: id) == shard { return id }
        }
    }
}
