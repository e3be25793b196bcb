/// The policy for a user who is moved to a slot in which another user is current.
///
/// `migrateCurrentUser` of ``Auth``, ``UserMigration`` and the tool's option `--if-occupied` have the same policies.
@frozen
public enum MigrationPolicy: String, Sendable, Hashable, CaseIterable {
    /// Nothing changes. `migrateCurrentUser` throws `accessGroupOccupied`, and the outcome of a ``UserMigration`` is a
    /// conflict.
    case fail
    /// The user replaces the other user, or a record that cannot be read, which is set aside. An app that keeps other
    /// users (`Options.keepsOtherUsers`) keeps the other user as a second account; a ``UserMigration`` hands the
    /// session over and removes it.
    case replace
    /// The user becomes a second account. The other user stays current, and so becomes the current user of the app.
    case add
    /// Nothing changes, and no error is thrown: the user and the app stay.
    case skip
    /// The app joins the other user. The user who was to be moved stays stored in the slot that is left.
    case join
}

extension MigrationPolicy {
    /// Returns whether an error means that the app joins the other user at the target.
    func joins(after error: AuthError) -> Bool { self == .join && error.code == .accessGroupOccupied }
}
