/// The policy for a user in the app's own slot when the app joins the access group that its options name.
///
/// It applies once: at the first start with `Options.accessGroup` at which the group can be read. Afterwards the group
/// is the stored choice, and a user who signs in to the app's own slot, in a process with other options, stays there.
@frozen
public enum OwnUserPolicy: String, Sendable, Hashable, CaseIterable {
    /// The user is signed out, as by ``Auth/useUserAccessGroup(_:)``, and the session is revoked, because no code holds
    /// the user.
    case clear
    /// The user stays stored in the app's own slot and is not shown.
    case keep
    /// The user moves to the group, as by ``Auth/migrateCurrentUser(toAccessGroup:policy:)-3ddte``. If the group has
    /// another current user, the app shows that one, and its own user stays stored in its own slot.
    case migrate
}
