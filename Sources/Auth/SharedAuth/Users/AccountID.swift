/// The identity of an account: its issuer and its uid. The same uid of two issuers names two accounts.
///
/// It is determined once, when an account is read or signs in, from the stored issuer, else that of the ID token, else
/// the reader's. If the reader has no issuer, as in a migration tool, the identity has none either.
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
    /// Returns whether this identity, which earlier versions stored without an issuer, may refer to `other`.
    func mayMean(_ other: AccountID) -> Bool { uid == other.uid && (issuer == nil || issuer == other.issuer) }

    /// The account in messages: its uid, and its issuer if known.
    var description: String { issuer.map { "\(uid) of \($0)" } ?? uid }
}

extension UserRecord {
    /// Returns the account with a uid: the only one, else the one that `issuer` issued; nil if no account has the uid.
    ///
    /// - Throws: `conflict` if several accounts have the uid and `issuer` issued none of them; the message lists their
    ///   issuers.
    package func account(uid: String, issuedBy issuer: String?, in slot: String) throws(AuthError) -> Account? {
        let named = accounts.filter { $0.uid == uid }
        if named.count < 2 { return named.first }
        if let issuer, let own = named.first(where: { $0.id.issuer == issuer }) { return own }
        throw AuthError(
            .conflict,
            "\(slot.capitalizedFirst) holds \(named.count) accounts of the uid \(uid), issued by "
                + named.map { $0.id.issuer ?? "an issuer that is not known" }.sorted().joined(separator: " and ") + ".",
            remedy: "Pass the user, or its issuer, to choose one."
        )
    }
}
