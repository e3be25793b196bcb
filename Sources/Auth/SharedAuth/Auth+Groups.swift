extension Auth {
    /// The access group in use, as stored by the last `useUserAccessGroup`; nil when the app keeps its user to itself.
    public var userAccessGroup: String? {
        engine.afterFirstLoad { $0.slot?.groupName }
    }

    /// As `userAccessGroup`, without blocking a thread that runs async code; at once when the first load has ended.
    ///
    /// - Throws: `timedOut` when the first load does not end within `timeout`; it goes on then.
    public func userAccessGroup(timeout: Duration) async throws(AuthError) -> String? {
        try await engine.waitForFirstLoad(timeout)
        return engine.state.slot?.groupName
    }

    /// Switches to an access group, or with nil back to the app's own slot (Firebase: `useUserAccessGroup`).
    ///
    /// The user of the target becomes current; if there is none, nobody is signed in. Switching from the own slot to a
    /// group deletes the own slot's user, switching back deletes nothing. The choice survives a restart. The group in
    /// use may be given again, which reads it again. A group whose record is damaged is joined, or stays in use, if no user would
    /// be lost: the state is `damaged` then, and the next sign-in sets the record aside.
    /// - Throws: `recordDamaged` when the current user or the own slot's would be lost, or for the own slot if that is in use;
    ///   `invalidAccessGroup`, `accessGroupNotDeclared`, `tenantIDMismatch`, or an error of the keyring or the state
    ///   directory. Then group, user and stored choice are as before.
    public func useUserAccessGroup(_ accessGroup: String?) throws(AuthError) {
        let target = try slot(named: accessGroup)
        try engine.withOperation { operation throws(AuthError) in try operation.switchTo(target) }
    }

    /// As `useUserAccessGroup(_:)`, without blocking a thread that runs async code.
    ///
    /// - Throws: as the synchronous form; `timedOut` or `outcomeUnknown` when `timeout` passes first.
    public func useUserAccessGroup(_ accessGroup: String?, timeout: Duration) async throws(AuthError) {
        try await engine.offload(timeout: timeout) { [self] () throws(AuthError) in try useUserAccessGroup(accessGroup)
        }
    }

    /// The user stored in an access group, or with nil in the app's own slot, without switching to it; nil when there
    /// is none (Firebase: `getStoredUser`). Writes nothing.
    ///
    /// - Throws: `invalidAccessGroup`, `accessGroupNotDeclared`, or an error of the keyring: locked, unavailable and
    ///   damaged are never "no user".
    public func getStoredUser(forAccessGroup accessGroup: String?) throws(AuthError) -> User? {
        let slot = try slot(named: accessGroup)
        let contents = try engine.read(slot)
        return contents.record.currentAccount.map { User($0, auth: self, slot: slot) }
    }

    /// As `getStoredUser(forAccessGroup:)`, without blocking a thread that runs async code.
    ///
    /// - Throws: as the synchronous form; `timedOut` when `timeout` passes first.
    public func getStoredUser(
        forAccessGroup accessGroup: String?,
        timeout: Duration
    ) async throws(AuthError) -> User? {
        try await engine.offload(timeout: timeout) { [self] () throws(AuthError) in
            try getStoredUser(forAccessGroup: accessGroup)
        }
    }

    /// Every user stored in an access group, or with nil in the app's own slot, the current one first. Writes nothing.
    ///
    /// There is more than one only if an app of the group is configured with `Options.keepsOtherUsers`.
    /// - Throws: as `getStoredUser(forAccessGroup:)`.
    public func storedUsers(inAccessGroup accessGroup: String?) throws(AuthError) -> [User] {
        let slot = try slot(named: accessGroup)
        let contents = try engine.read(slot)
        let current = contents.record.current
        let accounts = contents.record.accounts
        return (accounts.filter { $0.id == current } + accounts.filter { $0.id != current })
            .map { User($0, auth: self, slot: slot) }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func storedUsers(inAccessGroup accessGroup: String?) async throws(AuthError) -> [User] {
        try await engine.offload { [self] () throws(AuthError) in try storedUsers(inAccessGroup: accessGroup) }
    }

    /// Moves the current user to an access group, or with nil to the app's own slot, and switches there, in one step
    /// during which the user is stored at every moment.
    ///
    /// The same object stays the current user, and no listener is called in this app, unless another user is current at
    /// the target and `policy` makes this app show them; apps that stay with the slot that is left hear that the user
    /// is gone. If the process dies meanwhile, the next start finishes the migration or drops it; calling again
    /// completes it. (Firebase has three steps for this, with the user in memory alone between them;
    /// `useUserAccessGroup` and `updateCurrentUser` still offer those.)
    /// - Throws: `nullUser` without a current user, `accessGroupOccupied` as `policy` says, `tenantIDMismatch` if the
    ///   app would show a user of another tenant, `invalidAccessGroup`, `accessGroupNotDeclared`, `conflict` if another
    ///   process keeps changing a slot, or an error of the keyring or the state directory; then user, group and stored
    ///   choice are as before. Undoing the changes may take `Options.timeout` again; where that fails, the error is
    ///   `outcomeUnknown`, and the next start finishes the migration.
    public func migrateCurrentUser(
        toAccessGroup accessGroup: String?,
        policy: MigrationPolicy = .fail
    ) throws(AuthError) {
        let target = try slot(named: accessGroup)
        try engine.withOperation { operation throws(AuthError) in try operation.migrateCurrentUser(to: target, policy)
        }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func migrateCurrentUser(
        toAccessGroup accessGroup: String?,
        policy: MigrationPolicy = .fail
    ) async throws(AuthError) {
        try await engine.offload { [self] () throws(AuthError) in
            try migrateCurrentUser(toAccessGroup: accessGroup, policy: policy)
        }
    }
}

/// What tools do in groups, and apps have no call for.
extension Auth {
    /// Switches to an access group, or with nil back to the app's own slot, unless the own slot's user would be forgotten who
    /// is not to be: as `useUserAccessGroup(_:)`, with the check and the switch in one operation.
    ///
    /// Who signs in to the own slot after the check stays there.
    /// - Parameter uid: the user of the own slot who may be forgotten; nil: none.
    /// - Returns: the uid of the user who would have been forgotten; nil if the switch was made.
    /// - Throws: as `useUserAccessGroup(_:)`.
    package func useUserAccessGroup(
        _ accessGroup: String?,
        forgettingOnly uid: String?
    ) throws(AuthError) -> String? {
        let target = try slot(named: accessGroup)
        return try engine.withOperation { operation throws(AuthError) in
            try operation.switchTo(target, ifAllowed: { $0 == uid })
        }
    }

    /// Sets a damaged record of the users of an access group aside, or with nil of the app's own slot, and leaves its place
    /// empty. One that is missing or can be read is left as it is.
    ///
    /// - Returns: whether it was damaged.
    /// - Throws: `recordVersionUnsupported` for a record of a newer version, which stays; `invalidAccessGroup`,
    ///   `accessGroupNotDeclared`, or an error of the keyring.
    package func setAsideUsersIfDamaged(ofAccessGroup accessGroup: String?) throws(AuthError) -> Bool {
        let slot = try slot(named: accessGroup)
        return try engine.withOperation { operation throws(AuthError) in
            do throws(AuthError) {
                _ = try operation.slots.read(slot, by: operation.deadline)
                return false
            } catch {
                guard error.code == .recordDamaged else { throw error }
            }
            // What is kept of a damaged record is its copy.
            let contents = try operation.slots.update(slot, by: operation.deadline, ifDamaged: .setAside) { _ in .keep }
            if slot == operation.state.slot { operation.take(contents, in: slot) }
            return true
        }
    }
}
