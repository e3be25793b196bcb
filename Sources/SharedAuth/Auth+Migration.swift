internal import SecretService
internal import Synchronization

extension Auth {
    /// Moves the current user to an access group, or with nil to the app's own slot, and switches there, in one step
    /// that loses the user at no instant.
    ///
    /// The same object stays the current user, and no listener is called in this app; apps that stay with the slot that
    /// is left hear that the user is gone. If the process dies meanwhile, the next start finishes the migration or takes
    /// it back; calling again completes it. (Firebase has three steps for this, with the user in memory alone between
    /// them; `useUserAccessGroup` and `updateCurrentUser` still offer those.)
    /// - Throws: `nullUser` without a current user, `accessGroupOccupied` as `policy` says, `invalidAccessGroup`,
    ///   `accessGroupNotDeclared`, or an error of the keyring or the state directory; then user, group and stored choice
    ///   are as before. To be taken back it has `Options.deadline` once more.
    @available(*, noasync)
    public func migrateCurrentUser(
        toAccessGroup accessGroup: String?,
        policy: MigrationPolicy = .failIfOccupied
    ) throws(AuthError) {
        let target = try slot(named: accessGroup)
        let operation = try begin()
        defer { operation.end() }
        let source = try currentSlot()
        try settlePending(within: operation.deadline)
        // A user whom a peer has signed out must not come back in the target.
        adopt(try read(source, within: operation.deadline), in: source)
        guard let user = memory.withLock({ $0.user }) else {
            throw AuthError(.nullUser, "There is no current user to migrate from \(source.description). Sign in first.")
        }
        if source == target { return }
        let occupant = try slots.read(target, within: operation.deadline).record.currentAccount
        if let occupant, occupant.uid != user.uid {
            switch policy {
            case .failIfOccupied: throw .occupied(target)
            case .keepTarget: return try switchTo(target, operation, leavingUser: true)
            case .replace: break
            }
        }
        try migrate(user, from: source, to: target, policy, operation)
    }
}
