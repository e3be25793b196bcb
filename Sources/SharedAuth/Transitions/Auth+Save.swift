internal import SecretService

extension Auth {
    /// Makes an account the current one of a slot, whatever was there: an explicit act.
    func signIn(_ account: Account, to slot: Slot, within deadline: Deadline) throws(AuthError) -> SlotContents {
        try slots.update(
            slot,
            within: deadline,
            ifDamaged: .setAside,
            settledIf: { $0.record.currentAccount == account },
            { .store($0.record.signingIn(account, keepingOthers: options.keepsOtherUsers)) }
        )
    }

    /// Removes the current account of a slot, whoever it is: an explicit act.
    func signOutCurrent(of slot: Slot, within deadline: Deadline) throws(AuthError) -> SlotContents {
        try slots.update(
            slot,
            within: deadline,
            ifDamaged: .setAside,
            settledIf: { $0.record.currentAccount == nil },
            { contents in contents.record.currentAccount.map { .store(contents.record.removing($0.uid)) } ?? .keep }
        )
    }

    /// Empties the own slot, and tells nobody anything any more.
    func retire() throws(AuthError) {
        let operation = try begin()
        defer { operation.end() }
        _ = try slots.update(.own, within: operation.deadline) { _ in .store(UserRecord()) }
        feed?.stop()
        announcer.removeAll()
        automaticRefresh?.follow(nil)
    }

    /// Changes what a slot holds of one account, if it still is what the change started from.
    ///
    /// - Returns: what the slot holds afterwards, which may be somebody else's doing.
    func revise(
        _ slot: Slot,
        _ uid: String,
        within deadline: Deadline,
        _ change: (inout Account) -> Bool
    ) throws(AuthError) -> SlotContents {
        try slots.update(slot, within: deadline) { contents in
            guard var account = contents.record.account(uid), change(&account) else { return .keep }
            return .store(contents.record.replacing(account))
        }
    }
}
