/// What `migrateCurrentUser` does when another user is signed in at the target.
public enum MigrationPolicy: Sendable, Hashable {
    /// Throw `accessGroupOccupied`, and change nothing.
    case failIfOccupied
    /// Put the migrating user in the other's place.
    case replace
    /// Join the other user there; the migrating user stays stored where they are.
    case keepTarget
}
