/// A store that can be asked whether what a read found locked still is.
package protocol LockInquiry: RecordStore {
    /// Returns whether the collection or record that was found locked last is still locked; true, too, if the store does not
    /// answer. Makes one call while it is locked, and never prompts the user.
    func isStillLocked(by deadline: Deadline) -> Bool
}
