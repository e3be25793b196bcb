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
            overwritten.record = found.removing(ours.map(\.id))
        }
        (contents, source, namesOriginals) = (later.contents, later.source, later.namesOriginals)
        isOurs = isOurs || later.isOurs
        removed = removed ?? later.removed
    }

    /// Returns the users of a record who were at the target before.
    func residents(of record: UserRecord) -> [AccountID] { record.held(by: overwritten.record) }

    /// The users that were not at the target before.
    var arrivals: [Account] { coming.accounts.filter { !overwritten.record.holds($0) } }
}

extension UserRecord {
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
