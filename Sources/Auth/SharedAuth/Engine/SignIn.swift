/// An account that a slot holds as its current one. Contents that do not hold it so make none: a user can be shown as
/// stored only if it is.
struct StoredAccount: Sendable {
    let account: Account
    let used: SlotInUse
    /// The contents of the slot.
    let contents: SlotContents

    var slot: Slot { used.slot }
    var revision: Revision? { contents.revision }

    /// - Throws: `conflict` if the account is not the current one there.
    init(_ id: AccountID, in changed: ChangedSlot) throws(AuthError) {
        guard let account = changed.contents.record.currentAccount, id.mayMean(account.id) else {
            throw AuthError(
                .conflict,
                "\(changed.slot.description.capitalizedFirst) does not hold the user who was to be stored there.",
                remedy: "Try again."
            )
        }
        (self.account, used, contents) = (account, changed.used, changed.contents)
    }
}

/// The result of storing the account of a sign-in.
enum SignInOutcome {
    /// The account is stored and current. The others were replaced by it, and have their newest tokens.
    case stored(StoredAccount, dropped: [Account])
    /// The slot's present user stays, and nothing was stored.
    case refused(ChangedSlot)
}

extension Operation {
    /// Makes an account current in the slot in use. Unless the app keeps other users, the account replaces the slot's
    /// current one and the one that this process shows; the slot's other accounts stay. This is an explicit act, so it
    /// sets a damaged record aside.
    ///
    /// - Parameters:
    ///   - keepingNewerTokens: whether to keep the slot's tokens of the same account if they are newer.
    ///   - isRefused: returns whether to leave the record unchanged.
    func signIn(
        _ account: Account,
        keepingNewerTokens: Bool = false,
        unless isRefused: (UserRecord) -> Bool
    ) throws(AuthError) -> SignInOutcome {
        let shown = state
        var dropped: [Account] = []
        var wasRefused = false
        let changed = try change(
            .slotInUse,
            ifDamaged: .setAside,
            settledIf: { $0.contents.record.currentAccount?.tokens == account.tokens }
        ) { contents, slot in
            dropped = []
            wasRefused = isRefused(contents.record)
            if wasRefused { return .keep }
            var account = account
            if keepingNewerTokens, let stored = contents.record.account(account.id),
                stored.tokens.isNewer(than: account.tokens)
            {
                account.tokens = stored.tokens
            }
            let record = contents.record.signingIn(
                account,
                keepingOthers: engine.options.keepsOtherUsers,
                replacing: shown.slot == slot ? shown.user?.id : nil
            )
            dropped = contents.record.accounts.filter { record.account($0.id) == nil }
            return .store(record)
        }
        if wasRefused { return .refused(changed) }
        let stored = try StoredAccount(account.id, in: changed)
        dropped = dropped.map { engine.unsavedTokens.overlay($0, in: changed.slot) }
        for account in dropped + [account] { engine.unsavedTokens.drop(account.id, in: changed.slot) }
        return .stored(stored, dropped: dropped)
    }

    /// Makes an account current in the slot in use, whoever is there.
    ///
    /// - Returns: the account as the slot holds it, and those that it replaced, with their newest tokens.
    func signIn(
        _ account: Account,
        keepingNewerTokens: Bool = false
    ) throws(AuthError) -> (stored: StoredAccount, dropped: [Account]) {
        switch try signIn(account, keepingNewerTokens: keepingNewerTokens, unless: { _ in false }) {
        case .stored(let stored, let dropped): return (stored, dropped)
        case .refused(let changed): return (try StoredAccount(account.id, in: changed), [])
        }
    }
}
