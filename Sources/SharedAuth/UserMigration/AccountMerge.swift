/// What a slot holds once the accounts of another have come there.
struct AccountMerge {
    /// The slot's record afterwards.
    private(set) var record: UserRecord
    /// The account that is not there any more.
    private(set) var removed: Account?

    /// Merges the accounts that leave one slot into the record of another.
    ///
    /// Of an account that both have, the newer tokens stay. The current account of those that leave becomes current; another
    /// user who is current there already is treated as the policy says. The same uid of another issuer is another account.
    /// - Parameter keepingOthers: whether a user who is replaced stays as a second account.
    /// - Throws: `accessGroupOccupied`, also where the policy is to skip or to join, and where both have an unnamed
    ///   account of one uid.
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
                record = record.removing(occupant.id, leaving: occupant.remainingOriginals)
                removed = occupant
            }
        }
        let current = record.current ?? leaving.mainAccount?.id
        for account in leaving.accounts {
            if let there = record.account(account.id) {
                // Two accounts of one uid that nothing names may be two people's.
                guard there.isSameSession(as: account) else { throw .occupied(by: there, slot, isUnnamed: true) }
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
    /// Whether both are the same account: of two that are unnamed that is known only where they have tokens in common.
    func isSameSession(as other: Account) -> Bool {
        guard id == other.id else { return false }
        if knownIssuer != nil { return true }
        return tokens.refreshToken != nil && tokens.refreshToken == other.tokens.refreshToken
            || tokens.announced == other.tokens.announced
    }
}

extension UserRecord {
    /// Whether an account is there.
    func holds(_ account: Account) -> Bool { self.account(account.id) != nil }

    /// The record without these accounts.
    func removing(_ ids: [AccountID]) -> UserRecord {
        ids.reduce(self) { $0.removing($1) }
    }

    /// The record without the accounts that a note means.
    func removing(notedAs notes: [AccountID]) -> UserRecord {
        removing(accounts.map(\.id).filter { id in notes.contains { $0.mayMean(id) } })
    }

    /// The record without the accounts that another has.
    func removing(accountsOf other: UserRecord) -> UserRecord {
        removing(other.accounts.map(\.id))
    }

    /// The account that a report names: the current one, else the first.
    var mainAccount: Account? { currentAccount ?? accounts.first }

    /// The uid of the account that a report names.
    var mainUID: String? { mainAccount?.uid }

    /// The accounts that are in another record, too.
    func held(by other: UserRecord) -> [AccountID] { accounts.map(\.id).filter { other.account($0) != nil } }
}

extension AuthError {
    /// - Parameters:
    ///   - hasSameUID: whether the uid does not tell the two apart.
    ///   - isUnnamed: whether the other has the same uid, and neither account says who issued it.
    fileprivate static func occupied(
        by account: Account,
        _ slot: Slot,
        hasSameUID: Bool = false,
        isUnnamed: Bool = false
    ) -> AuthError {
        AuthError(
            .accessGroupOccupied,
            isUnnamed
                ? "\(slot.description.capitalizedFirst) has an account of the uid \(account.uid), too, and neither says who issued it."
                : "Another user, \(hasSameUID ? account.id.description : account.uid), is signed in to \(slot.description).",
            remedy: isUnnamed
                ? "Sign one of them out first: a new sign-in notes the issuer."
                : "Sign them out there, or migrate with the policy replace, add, skip or join."
        )
    }
}
