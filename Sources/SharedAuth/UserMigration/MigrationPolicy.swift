/// What becomes of a user who is to be moved to a slot where another user is current.
///
/// `migrateCurrentUser` of ``Auth``, ``UserMigration`` and the option `--if-occupied` of the tool have the same
/// policies.
@frozen
public enum MigrationPolicy: String, Sendable, Hashable, CaseIterable {
    /// Nothing changes: `migrateCurrentUser` throws `accessGroupOccupied`, and the outcome of a ``UserMigration`` is a
    /// conflict.
    case fail
    /// The user takes the other's place, or that of a record that cannot be read, which is set aside. An app that keeps
    /// other users (`Options.keepsOtherUsers`) keeps the other as a second account; a ``UserMigration`` hands the
    /// session over, and removes it.
    case replace
    /// The user becomes a second account there; the other stays current, and so becomes the current user of the app.
    case add
    /// Nothing changes, and that is no error: the user stays, and so does the app.
    case skip
    /// The app joins the other user; the user who was to be moved stays stored in the slot that is left.
    case join
}
