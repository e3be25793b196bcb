extension Auth {
    /// The access group that this process uses; nil if it uses the app's own slot.
    ///
    /// It is the group of `Options.accessGroup`, else the stored choice at the start. It changes with a call of this
    /// process, and with a migration of its users by another one; a switch by another process does not change it.
    public var userAccessGroup: String? {
        engine.afterFirstLoad { $0.slot?.groupName }
    }

    /// Indicates whether the users of access groups are shared with the person's other devices (Firebase:
    /// `shareAuthStateAcrossDevices`). It has no effect on the app's own slot.
    ///
    /// `Options.store` decides at each start: the value is true for `.fleet()` of the module SharedAuthFleet, and false
    /// for any other store. An access group has one place, so the property does not choose between two, as Firebase's
    /// does. Code that sets it before `useUserAccessGroup` works unchanged if the store agrees; otherwise each call with
    /// an access group throws `operationNotAllowed`. Thread-safe; never waits.
    public var shareAuthStateAcrossDevices: Bool {
        get { engine.sharesAcrossDevices }
        set { engine.sharesAcrossDevices = newValue }
    }

    /// Returns the access group in use without blocking a thread that runs async code; immediately once the first load
    /// has ended.
    ///
    /// - Throws: `timedOut` if the first load does not end within `timeout`; the load continues.
    public func userAccessGroup(timeout: Duration) async throws(AuthError) -> String? {
        try await engine.waitForFirstLoad(timeout)
        return engine.now { $0.slot?.groupName }
    }

    /// Switches to an access group, or to the app's own slot if it is nil (Firebase: `useUserAccessGroup`).
    ///
    /// The target's user becomes current; if the target has no user, the app is signed out. Switching from the app's
    /// own slot to a group deletes the user in that slot; switching back deletes nothing. The choice persists across
    /// restarts, unless `Options.accessGroup` names a group. Passing the group in use reads it again. Other running
    /// processes of the app stay in their slots.
    ///
    /// If the group's record is damaged, the app still joins the group or continues to use it, provided that no user
    /// would be lost. The state is then `damaged`, and the next sign-in sets the record aside.
    ///
    /// - Throws: `recordDamaged` if the current user or the user in the app's own slot would be lost, or if that slot
    ///   is in use and damaged; `invalidAccessGroup` or `accessGroupNotDeclared` if the app may not use the group;
    ///   `tenantIDMismatch` if the target's user belongs to another tenant; `stateDirectoryUnusable` if the choice
    ///   cannot be stored; a keyring error. The group, the user and the stored choice do not change then. Undoing a
    ///   switch whose deletion failed may take another `Options.timeout`.
    public func useUserAccessGroup(_ accessGroup: String?) throws(AuthError) {
        let target = try slot(named: accessGroup)
        try engine.withOperation { operation throws(AuthError) in try operation.switchTo(target) }
    }

    /// Does the same as `useUserAccessGroup(_:)` without blocking a thread that runs async code.
    ///
    /// - Throws: The errors of the synchronous form; `timedOut` or `outcomeUnknown` if `timeout` passes first. Undoing a
    ///   switch whose deletion failed may take another `Options.timeout`.
    public func useUserAccessGroup(_ accessGroup: String?, timeout: Duration) async throws(AuthError) {
        try await engine.offload(timeout: timeout) { [self] () throws(AuthError) in try useUserAccessGroup(accessGroup)
        }
    }

    /// Returns the user stored in an access group, or in the app's own slot if `accessGroup` is nil, without switching
    /// to it; nil if no user is stored there (Firebase: `getStoredUser`). Writes nothing.
    ///
    /// - Throws: `invalidAccessGroup` or `accessGroupNotDeclared` if the app may not use the group; a keyring error.
    ///   The call never returns nil for a locked, unavailable or damaged slot.
    public func getStoredUser(forAccessGroup accessGroup: String?) throws(AuthError) -> User? {
        let slot = try slot(named: accessGroup)
        let contents = try engine.read(slot)
        return contents.record.currentAccount.map { User($0, auth: self, slot: slot) }
    }

    /// Does the same as `getStoredUser(forAccessGroup:)` without blocking a thread that runs async code.
    ///
    /// - Throws: The errors of the synchronous form; `timedOut` if `timeout` passes first.
    public func getStoredUser(
        forAccessGroup accessGroup: String?,
        timeout: Duration
    ) async throws(AuthError) -> User? {
        try await engine.offload(timeout: timeout) { [self] () throws(AuthError) in
            try getStoredUser(forAccessGroup: accessGroup)
        }
    }

    /// Returns all users stored in an access group, or in the app's own slot if `accessGroup` is nil, the current user
    /// first. Writes nothing.
    ///
    /// There is more than one user only if an app of the group is configured with `Options.keepsOtherUsers`.
    ///
    /// - Throws: The errors of `getStoredUser(forAccessGroup:)`.
    public func storedUsers(inAccessGroup accessGroup: String?) throws(AuthError) -> [User] {
        let slot = try slot(named: accessGroup)
        let contents = try engine.read(slot)
        let current = contents.record.current
        let accounts = contents.record.accounts
        return (accounts.filter { $0.id == current } + accounts.filter { $0.id != current })
            .map { User($0, auth: self, slot: slot) }
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code.
    ///
    /// - Throws: The errors of the synchronous form.
    public func storedUsers(inAccessGroup accessGroup: String?) async throws(AuthError) -> [User] {
        try await engine.offload { [self] () throws(AuthError) in try storedUsers(inAccessGroup: accessGroup) }
    }

    /// Moves the current user to an access group, or to the app's own slot if it is nil, and switches to that slot.
    ///
    /// At every moment of the move, the user is stored in at least one slot. The same object remains the current user,
    /// and no listener is called in this app, unless another user is current at the target and `policy` makes that user
    /// this app's current one. Other apps that still use the source slot are notified that the user was removed.
    ///
    /// If the process dies during the move, the next start completes or discards the migration; a second call completes
    /// it. Firebase needs three steps for a migration, between which the user is only in memory; `useUserAccessGroup`
    /// and `updateCurrentUser` still offer these steps.
    ///
    /// - Parameters:
    ///   - accessGroup: The access group to move to; nil for the app's own slot.
    ///   - policy: The treatment of a user who is already stored at the target.
    /// - Throws: `nullUser` if there is no current user; `accessGroupOccupied` according to `policy`;
    ///   `tenantIDMismatch` if a user of another tenant would become current; `invalidAccessGroup` or
    ///   `accessGroupNotDeclared` if the app may not use the group; `conflict` if another process keeps changing a
    ///   slot; `stateDirectoryUnusable` if the choice cannot be read or stored; a keyring error. The user, the group
    ///   and the stored choice do not change then. Undoing the changes may take another `Options.timeout`; if that
    ///   fails, the error is `outcomeUnknown`, and the next start completes the migration.
    public func migrateCurrentUser(
        toAccessGroup accessGroup: String?,
        policy: MigrationPolicy = .fail
    ) throws(AuthError) {
        let target = try slot(named: accessGroup)
        try engine.withOperation { operation throws(AuthError) in try operation.migrateCurrentUser(to: target, policy)
        }
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code.
    ///
    /// - Throws: The errors of the synchronous form.
    public func migrateCurrentUser(
        toAccessGroup accessGroup: String?,
        policy: MigrationPolicy = .fail
    ) async throws(AuthError) {
        try await engine.offload { [self] () throws(AuthError) in
            try migrateCurrentUser(toAccessGroup: accessGroup, policy: policy)
        }
    }
}

/// Group operations for tools; apps do not need them.
extension Auth {
    /// Switches as `useUserAccessGroup(_:)`, unless that would delete a user in the app's own slot other than `uid`.
    ///
    /// The check and the switch are one operation, so a user who signs in to the app's own slot after the check is not
    /// deleted.
    ///
    /// - Parameters:
    ///   - accessGroup: The access group to switch to; nil for the app's own slot.
    ///   - uid: The uid of the user in the app's own slot who may be deleted; nil if none may be.
    /// - Returns: The uid of the user who would have been deleted; nil if the switch was made.
    /// - Throws: The errors of `useUserAccessGroup(_:)`.
    package func useUserAccessGroup(
        _ accessGroup: String?,
        forgettingOnly uid: String?
    ) throws(AuthError) -> String? {
        let target = try slot(named: accessGroup)
        return try engine.withOperation { operation throws(AuthError) in
            try operation.switchTo(target, ifAllowed: { $0 == uid })
        }
    }

    /// Sets the record of an access group, or of the app's own slot if it is nil, aside if it is damaged. The slot is
    /// then empty. A readable record is left unchanged.
    ///
    /// - Returns: True if the record was damaged.
    /// - Throws: `recordVersionUnsupported` if a newer version wrote the record, which is left unchanged;
    ///   `invalidAccessGroup` or `accessGroupNotDeclared` if the app may not use the group; a keyring error.
    package func setAsideUsersIfDamaged(ofAccessGroup accessGroup: String?) throws(AuthError) -> Bool {
        let slot = try slot(named: accessGroup)
        return try engine.withOperation { operation throws(AuthError) in
            do throws(AuthError) {
                _ = try operation.slots.read(slot, by: operation.deadline)
                return false
            } catch {
                guard error.code == .recordDamaged else { throw error }
            }
            // Setting aside keeps a copy of the damaged record.
            let contents = try operation.slots.update(slot, by: operation.deadline, ifDamaged: .setAside) { _ in .keep }
            if slot == operation.state.slot { operation.take(contents, in: slot) }
            return true
        }
    }
}
