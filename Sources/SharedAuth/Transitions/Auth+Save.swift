internal import SecretService

extension Auth {
    /// Makes an account the current one of a slot, whatever was there: an explicit act.
    func signIn(_ account: Account, to slot: Slot, within deadline: Deadline) throws(AuthError) -> SlotContents {
        do throws(AuthError) {
            return try slots.update(slot, within: deadline.leavingTimeToSettle, ifDamaged: .setAside) { contents in
                .store(contents.record.signingIn(account, keepingOthers: options.keepsOtherUsers))
            }
        } catch {
            return try settleByReading(error, slot, within: deadline) { $0.record.currentAccount == account }
        }
    }

    /// Removes the current account of a slot, whoever it is: an explicit act.
    func signOutCurrent(of slot: Slot, within deadline: Deadline) throws(AuthError) -> SlotContents {
        do throws(AuthError) {
            return try slots.update(slot, within: deadline.leavingTimeToSettle, ifDamaged: .setAside) { contents in
                guard let uid = contents.record.currentAccount?.uid else { return .keep }
                return .store(contents.record.removing(uid))
            }
        } catch {
            return try settleByReading(error, slot, within: deadline) { $0.record.currentAccount == nil }
        }
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

    /// Finds out whether a change happened that was asked for but not confirmed.
    ///
    /// - Throws: the error itself when its outcome was known, or the slot shows that the change was not made, or cannot
    ///   be read.
    private func settleByReading(
        _ error: AuthError,
        _ slot: Slot,
        within deadline: Deadline,
        isDone: (SlotContents) -> Bool
    ) throws(AuthError) -> SlotContents {
        guard error.code == .outcomeUnknown,
            let contents = try? slots.read(slot, within: deadline),
            isDone(contents)
        else { throw error }
        return contents
    }
}
