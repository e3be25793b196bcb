/// Names an account by who issued it and its uid there: the same uid of two issuers is two accounts.
///
/// It is made once, when an account is read or signs in: of the issuer that was noted, else of the one that the ID token names, else of
/// the reader's own. A reader without an issuer of its own, such as a migration tool, leaves the account unnamed.
package struct AccountID: Sendable, Hashable {
    /// The user's id at the issuer.
    package let uid: String
    /// The issuer; nil for an unnamed account.
    package let issuer: String?

    /// Names an account.
    package init(uid: String, issuer: String?) {
        self.uid = uid
        self.issuer = issuer
    }
}

extension AccountID {
    /// Whether a note of this account, which earlier versions made without an issuer, may mean `other`.
    func mayMean(_ other: AccountID) -> Bool { uid == other.uid && (issuer == nil || issuer == other.issuer) }

    /// The account in words, for messages: its uid, and its issuer where the uid alone does not tell.
    var description: String { issuer.map { "\(uid) of \($0)" } ?? uid }
}

extension UserRecord {
    /// The account of a uid: the only one, else the one that `issuer` issued; nil if there is none.
    ///
    /// - Throws: `conflict` where several accounts have the uid and none is of `issuer`; it lists their issuers.
    package func account(uid: String, issuedBy issuer: String?, in slot: String) throws(AuthError) -> Account? {
        let named = accounts.filter { $0.uid == uid }
        if named.count < 2 { return named.first }
        if let issuer, let own = named.first(where: { $0.id.issuer == issuer }) { return own }
        throw AuthError(
            .conflict,
            "\(slot.capitalizedFirst) holds \(named.count) accounts of the uid \(uid), issued by "
                + named.map { $0.id.issuer ?? "an issuer that is not known" }.sorted().joined(separator: " and ") + ".",
            remedy: "Say which one: pass the user, or its issuer."
        )
    }
}
