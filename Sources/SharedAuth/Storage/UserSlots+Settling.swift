internal import SecretService

extension UserSlots {
    /// Changes a slot as `update` does; of a change that nobody answers it is found out by reading, for which time is left.
    ///
    /// - Throws: what the change failed with when its outcome was known, or the slot is not as `isDone` says it would be, or
    ///   cannot be read.
    func update(
        _ slot: Slot,
        within deadline: Deadline,
        ifDamaged policy: DamagePolicy = .fail,
        settledIf isDone: (SlotContents) -> Bool,
        _ decide: (SlotContents) throws(AuthError) -> SlotChange
    ) throws(AuthError) -> SlotContents {
        do throws(AuthError) {
            return try update(slot, within: .after(deadline.remaining * 4 / 5), ifDamaged: policy, decide)
        } catch {
            guard error.code == .outcomeUnknown, let contents = try? read(slot, within: deadline), isDone(contents)
            else {
                throw error
            }
            return contents
        }
    }
}
