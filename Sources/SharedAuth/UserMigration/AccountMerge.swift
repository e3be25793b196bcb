/// What a slot holds once the accounts of another have come there.
struct AccountMerge {
    /// The slot's record afterwards.
    private(set) var record: UserRecord
    /// The account that is not there any more.
    private(set) var removed: Account?

    /// Merges the accounts that leave one slot into the record of another.
    ///
    /// Of an account that both have, the newer tokens stay. The current account of those that leave becomes current; another
    /// user who is current there already is treated as the policy says. The same uid of another issuer is another user.
    /// - Throws: `accessGroupOccupied`, also where the policy is to skip, and where two users would have one uid.
    init(
        _ leaving: UserRecord,
        into present: UserRecord,
        ifOccupied policy: UserMigration.OccupiedPolicy,
        in slot: Slot
    ) throws(AuthError) {
        record = present
        if let occupant = present.currentAccount, let current = leaving.currentAccount,
            !occupant.isSameUser(as: current)
        {
            switch policy {
            case .fail, .skip: throw .occupied(by: occupant, slot)
            case .add: break
            case .replace:
                record = record.removing(occupant.uid, leaving: occupant.remainingOriginals)
                removed = occupant
            }
        }
        let current = record.current ?? leaving.mainUID
        for account in leaving.accounts {
            if let there = record.account(account.uid) {
                guard there.isSameUser(as: account) else { throw .occupied(by: there, slot, hasSameUID: true) }
                record = record.replacing(Self.newer(there, account))
            } else {
                record = record.signingIn(account, keepingOthers: true)
            }
        }
        record = record.selecting(current)
    }

    /// Of two copies of an account the one with the newer tokens, which names the originals of both.
    private static func newer(_ there: Account, _ coming: Account) -> Account {
        let isThereNewer = there.tokens == coming.tokens || there.tokens.isNewer(than: coming.tokens)
        var account = isThereNewer ? there : coming
        account.remainingOriginals =
            there.remainingOriginals + coming.remainingOriginals.filter { !there.remainingOriginals.contains($0) }
        return account
    }
}

extension Account {
    /// Whether both are of one user: the same uid, and no two issuers. One whose issuer is not known counts as anyone's.
    func isSameUser(as other: Account) -> Bool {
        guard uid == other.uid else { return false }
        guard let issuer = knownIssuer, let otherIssuer = other.knownIssuer else { return true }
        return isIssued(by: otherIssuer) || other.isIssued(by: issuer)
    }
}

extension UserRecord {
    /// Whether a user is there.
    func holds(_ account: Account) -> Bool { self.account(account.uid).map(account.isSameUser) ?? false }

    /// The accounts of these uids alone, or all; current is who was.
    func only(_ uids: Set<String>?) -> UserRecord {
        guard let uids else { return self }
        return accounts.filter { !uids.contains($0.uid) }.reduce(self) { $0.removing($1.uid) }
    }

    /// The record without the accounts of these uids.
    func removing(_ uids: [String]) -> UserRecord {
        uids.reduce(self) { $0.removing($1) }
    }

    /// The record without the accounts that another has.
    func removing(accountsOf other: UserRecord) -> UserRecord {
        removing(other.accounts.map(\.uid))
    }

    /// The user that a report names: who is current, else the first.
    var mainUID: String? { current ?? accounts.first?.uid }
}

extension AuthError {
    /// - Parameter hasSameUID: whether no policy but `replace` helps, and that only of who is current: a slot has one account
    ///   of a uid.
    fileprivate static func occupied(by account: Account, _ slot: Slot, hasSameUID: Bool = false) -> AuthError {
        let issuer = hasSameUID ? " of the issuer \(account.knownIssuer ?? "?")" : ""
        return AuthError(
            .accessGroupOccupied,
            "Another user, \(account.uid)\(issuer), is signed in to \(slot.description).",
            remedy: hasSameUID
                ? "Sign them out there: a slot cannot hold two accounts of one uid."
                : "Sign them out there, or choose what is to become of them: replace, add or skip."
        )
    }
}
