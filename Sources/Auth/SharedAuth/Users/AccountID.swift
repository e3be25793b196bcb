/// Identifies an account by uid and issuer: the same uid from two issuers is two accounts.
///
/// The issuer is the stored one, else the ID token's, else that of the app that reads the account. It is nil if all
/// three are unknown, as may be when a tool without an identity provider reads an account of an earlier version.
package struct AccountID: Sendable, Hashable {
    /// The user's ID at the issuer.
    package let uid: String
    /// The issuer; nil if unknown.
    package let issuer: String?

    /// Creates an identity.
    package init(uid: String, issuer: String?) {
        self.uid = uid
        self.issuer = issuer
    }
}

extension AccountID {
    /// Returns whether this identity may refer to the account `other`: it has the same uid, and either the same issuer
    /// or none, as identities that earlier versions stored.
    func mayMean(_ other: AccountID) -> Bool { uid == other.uid && (issuer == nil || issuer == other.issuer) }

    /// The text that names the account in messages: its uid, and its issuer if known.
    var description: String { issuer.map { "\(uid) of \($0)" } ?? uid }
}

extension UserRecord {
    /// Returns the account with a uid, or nil if there is none. Of several, returns the one that `issuer` issued.
    ///
    /// - Throws: `conflict` if several accounts have the uid and `issuer` issued none of them; the message lists their
    ///   issuers.
    package func account(uid: String, issuedBy issuer: String?, in slot: String) throws(AuthError) -> Account? {
        let named = accounts.filter { $0.uid == uid }
        if named.count < 2 { return named.first }
        if let issuer, let issued = named.first(where: { $0.id.issuer == issuer }) { return issued }
        throw AuthError(
            .conflict,
            "\(slot.capitalizedFirst) holds \(named.count) accounts with the uid \(uid), issued by "
                + named.map { $0.id.issuer ?? "an unknown issuer" }.sorted().joined(separator: " and ") + ".",
            remedy: "Pass the user, or its issuer, to choose one."
        )
    }
}
