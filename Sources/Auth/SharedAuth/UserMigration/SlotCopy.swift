/// A migration's copy in a target, and the former contents of the target.
struct SlotCopy {
    /// The app whose slot it is if it is an app's own; nil for a group that no known app has chosen.
    let appID: String?
    private(set) var contents: SlotContents
    /// The revision of the source that was copied.
    private(set) var source: Revision?
    /// The former contents of the target.
    private(set) var overwritten: SlotContents
    /// The copied users.
    private let coming: UserRecord
    /// True if the migration has written the copy; else the users were already there as in the source, or with newer
    /// tokens.
    private(set) var isOurs: Bool
    /// True if a stored choice needs the copy.
    var isChosen = false
    /// True if the copied users name the source as the place of their originals.
    var namesOriginals: Bool
    /// The account whose session was removed.
    private(set) var removed: Account?

    /// - Parameters:
    ///   - contents: the contents of the target with the copy.
    ///   - source: the revision of the source that was copied.
    init(
        of coming: UserRecord,
        at source: Revision?,
        for appID: String?,
        over overwritten: SlotContents,
        is contents: SlotContents,
        isOurs: Bool,
        namesOriginals: Bool = false,
        removing removed: Account? = nil
    ) {
        (self.appID, self.coming, self.source, self.namesOriginals) = (appID, coming, source, namesOriginals)
        (self.overwritten, self.contents, self.isOurs, self.removed) = (overwritten, contents, isOurs, removed)
    }

    /// Continues with a later copy, made because the source or the target had changed.
    mutating func take(_ later: SlotCopy) {
        let found = later.overwritten.record
        if later.overwritten.revision != contents.revision, !found.hasSessions(of: contents.record) {
            // Others have changed the target in the meantime, and have not put the copy back: their changes without these
            // users are its former contents. A session of the same user that began there is not of the copy.
            let ours = later.coming.accounts.filter { account in
                !overwritten.record.holds(account) && found.hasSession(of: contents.record, for: account.id)
            }
            var former = found.removing(ours.map(\.id))
            // Where a copied user is still there, nobody else has taken the place of the user whom the copy replaced.
            if let removed, arrivals.contains(where: found.holds) {
                former = former.signingIn(removed, keepingOthers: true)
            }
            overwritten.record = former
        }
        (contents, source, namesOriginals) = (later.contents, later.source, later.namesOriginals)
        isOurs = isOurs || later.isOurs
        removed = removed ?? later.removed
    }

    /// Continues with the contents of the target after the names of originals were settled there.
    mutating func settled(in contents: SlotContents) { self.contents = contents }

    /// Returns the users of a record who were at the target before.
    func residents(of record: UserRecord) -> [AccountID] { record.held(by: overwritten.record) }

    /// The record to which the target returns if the copy is taken back: the former one, with tokens that were refreshed
    /// there since.
    var former: UserRecord { overwritten.record.refreshed(as: contents.record) }

    /// Returns the copied users as far as the target has newer tokens of their sessions than the source had.
    func refreshed(in found: UserRecord) -> UserRecord {
        let newer = coming.accounts.filter { found.account($0.id)?.tokens.isRefreshed(from: $0.tokens) ?? false }
        return found.removing(found.accounts.map(\.id).filter { id in !newer.contains { $0.id == id } })
    }

    /// The users that were not at the target before.
    var arrivals: [Account] { coming.accounts.filter { !overwritten.record.holds($0) } }
}

extension UserTokens {
    /// Indicates whether these are newer tokens of the same session.
    fileprivate func isRefreshed(from other: UserTokens) -> Bool { isOfSession(other) && isNewer(than: other) }
}

extension UserRecord {
    /// Returns the record with the newer tokens that another record has of the same sessions.
    func refreshed(as other: UserRecord) -> UserRecord {
        mapAccounts { account in
            guard let tokens = other.account(account.id)?.tokens, tokens.isRefreshed(from: account.tokens) else {
                return account
            }
            var account = account
            account.tokens = tokens
            return account
        }
    }

    /// Returns whether an account has the session that another record has for it.
    fileprivate func hasSession(of other: UserRecord, for id: AccountID) -> Bool {
        guard let own = account(id), let others = other.account(id) else { return false }
        return own.tokens.isOfSession(others.tokens)
    }

    /// Returns whether the record has the sessions of another one, and no others, and the same current user.
    fileprivate func hasSessions(of other: UserRecord) -> Bool {
        current == other.current && accounts.count == other.accounts.count
            && accounts.allSatisfy { hasSession(of: other, for: $0.id) }
    }
}
