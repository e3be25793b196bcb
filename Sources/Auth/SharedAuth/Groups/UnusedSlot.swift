extension UserSlots {
    /// Removes accounts from a slot that the app has not chosen, and then the steps that were to do so. Holds the journal
    /// meanwhile, so that no process of the app can choose the slot before the removal is written.
    ///
    /// - Parameters:
    ///   - rest: returns what stays, by the slot's contents and the stored choice; nil if all stays. It may be called
    ///     more than once.
    ///   - end: removes the steps from the choice.
    func remove(
        fromUnused slot: Slot,
        holding journal: Journal,
        by deadline: Deadline,
        leaving rest: (SlotContents, GroupChoice) -> UserRecord?,
        ending end: (inout GroupChoice) -> Void
    ) throws(AuthError) {
        try forgetLocation(of: slot)
        var hold: Journal.Hold?
        defer { hold?.release() }
        _ = try update(slot, by: deadline) { found throws(AuthError) in
            let held = if let hold { hold } else { try journal.hold(by: deadline) }
            hold = held
            let choice = try journal.read(by: deadline)
            guard choice.slot != slot, let rest = rest(found, choice), rest != found.record else { return .keep }
            return .store(rest)
        }
        try hold?.change(by: deadline, end)
    }
}
