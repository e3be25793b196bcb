/// The contents of a slot after the accounts of another slot have moved there.
struct AccountMerge {
    /// The slot's record afterwards.
    private(set) var record: UserRecord
    /// The account that was removed.
    private(set) var removed: Account?

    /// Merges the accounts that leave one slot into the record of another.
    ///
    /// If both records have an account, the newer tokens stay. The current account of the leaving ones becomes current;
    /// if another user is already current there, the policy decides. The same uid of another issuer is another account.
    /// - Parameter keepingOthers: whether a replaced user stays as a second account.
    /// - Throws: `accessGroupOccupied`, also if the policy is to skip or to join, and if both have an account with one
    ///   uid and no known issuer.
    init(
        _ leaving: UserRecord,
        into present: UserRecord,
        ifOccupied policy: MigrationPolicy,
        keepingOthers: Bool = false,
        in slot: Slot
    ) throws(AuthError) {
        record = present
        if let occupant = present.currentAccount, let current = leaving.currentAccount,
            !occupant.isSameSession(as: current)
        {
            switch policy {
            case .fail, .skip, .join: throw .occupied(by: occupant, slot, hasSameUID: occupant.uid == current.uid)
            case .add: break
            case .replace where keepingOthers: record = record.selecting(nil)
            case .replace:
                record = record.removing(occupant.id, leaving: occupant.leftOriginals)
                removed = occupant
            }
        }
        let current = record.current ?? leaving.mainAccount?.id
        for account in leaving.accounts {
            if let there = record.account(account.id) {
                // Two accounts with one uid and no known issuer may belong to two users.
                guard there.isSameSession(as: account) else { throw .occupied(by: there, slot, isUnnamed: true) }
                record = record.replacing(Self.newer(there, account))
            } else {
                record = record.signingIn(account, keepingOthers: true)
            }
        }
        record = record.selecting(current)
    }

    /// Returns the copy of an account with the newer tokens. It names the originals of both copies.
    private static func newer(_ there: Account, _ coming: Account) -> Account {
        let isThereNewer = there.tokens == coming.tokens || there.tokens.isNewer(than: coming.tokens)
        var account = isThereNewer ? there : coming
        account.remainingOriginals = there.remainingOriginals
        account.name(coming.remainingOriginals)
        return account
    }
}

extension Account {
    /// Returns whether both are the same account. Without a known issuer, that is certain only if they have tokens in
    /// common.
    func isSameSession(as other: Account) -> Bool {
        guard id == other.id else { return false }
        if knownIssuer != nil { return true }
        return tokens.refreshToken != nil && tokens.refreshToken == other.tokens.refreshToken
            || tokens.announced == other.tokens.announced
    }
}

extension UserRecord {
    /// Returns whether the record has an account with this id.
    func holds(_ account: Account) -> Bool { self.account(account.id) != nil }

    /// Returns the record without these accounts.
    func removing(_ ids: [AccountID]) -> UserRecord {
        ids.reduce(self) { $0.removing($1) }
    }

    /// Returns the record without the accounts that the notes name.
    func removing(notedAs notes: [AccountID]) -> UserRecord {
        removing(accounts.map(\.id).filter { id in notes.contains { $0.mayMean(id) } })
    }

    /// Returns the record, which has this revision, without the originals of users who have signed out.
    func removing(originalsOf signedOut: [SignedOut], at revision: Revision?) -> UserRecord {
        let originals = accounts.filter { account in
            signedOut.contains { $0.id.mayMean(account.id) && $0.original.isOriginal(account, at: revision) }
        }
        return removing(originals.map(\.id))
    }

    /// Returns the record without the accounts that another record has.
    func removing(accountsOf other: UserRecord) -> UserRecord {
        removing(other.accounts.map(\.id))
    }

    /// The account to name in reports: the current one, else the first.
    var mainAccount: Account? { currentAccount ?? accounts.first }

    /// The uid of the account to name in reports.
    var mainUID: String? { mainAccount?.uid }

    /// Returns the accounts that another record has, too.
    func held(by other: UserRecord) -> [AccountID] { accounts.map(\.id).filter { other.account($0) != nil } }
}

extension AuthError {
    /// - Parameters:
    ///   - hasSameUID: whether both users have the same uid.
    ///   - isUnnamed: whether both accounts have the same uid and no known issuer.
    fileprivate static func occupied(
        by account: Account,
        _ slot: Slot,
        hasSameUID: Bool = false,
        isUnnamed: Bool = false
    ) -> AuthError {
        AuthError(
            .accessGroupOccupied,
            isUnnamed
                ? "\(slot.description.capitalizedFirst) has another account with the uid \(account.uid), and neither names its issuer."
                : "Another user, \(hasSameUID ? account.id.description : account.uid), is signed in to \(slot.description).",
            remedy: isUnnamed
                ? "Sign one of them out first: a new sign-in notes the issuer."
                : "Sign them out there, or migrate with the policy replace, add, skip or join."
        )
    }
}
