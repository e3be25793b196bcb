internal import Dispatch
internal import SecretService

// Firebase's own synchronous calls can be used in async code as they are; an overload that differs by `async` alone
// would break such code, so their async forms have `timeout:`. Our own calls are overloaded plainly, and their
// synchronous forms are not for async code: they would block a thread of the concurrency pool.

extension Auth {
    /// The deadline of the async call on whose behalf synchronous code runs; nil: `Options.timeout` from now.
    @TaskLocal static var asyncDeadline: Deadline?

    /// When a synchronous call that begins now must have ended.
    var callDeadline: Deadline { Self.asyncDeadline ?? .after(options.timeout) }

    /// Runs a synchronous call for an async one. The deadline counts from here, and includes the wait for a thread.
    fileprivate func offload<Value: Sendable>(
        timeout: Duration? = nil,
        _ call: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let deadline = Deadline.after(timeout ?? options.timeout)
        // Not on the Auth's own queue, as whatever waits there may have a later deadline.
        return try await DispatchQueue(label: "SharedAuth.call").perform { () throws(AuthError) in
            try Self.$asyncDeadline.withValue(deadline) { Result(catching: call) }.get()
        }
    }

    /// As `useUserAccessGroup(_:)`, without blocking a thread that runs async code.
    ///
    /// - Throws: as the synchronous form; `timedOut` or `outcomeUnknown` when `timeout` passes first.
    public func useUserAccessGroup(_ accessGroup: String?, timeout: Duration) async throws(AuthError) {
        try await offload(timeout: timeout) { [self] () throws(AuthError) in try useUserAccessGroup(accessGroup) }
    }

    /// As `getStoredUser(forAccessGroup:)`, without blocking a thread that runs async code.
    ///
    /// - Throws: as the synchronous form; `timedOut` when `timeout` passes first.
    public func getStoredUser(
        forAccessGroup accessGroup: String?,
        timeout: Duration
    ) async throws(AuthError) -> User? {
        try await offload(timeout: timeout) { [self] () throws(AuthError) in
            try getStoredUser(forAccessGroup: accessGroup)
        }
    }

    /// As `signOut()`, without blocking a thread that runs async code.
    ///
    /// - Throws: as the synchronous form; `timedOut` or `outcomeUnknown` when `timeout` passes first.
    public func signOut(timeout: Duration) async throws(AuthError) {
        try await offload(timeout: timeout) { [self] () throws(AuthError) in try signOut() }
    }

    /// Signs one user out of the slot in use, current or not, in every app of the group.
    ///
    /// A uid that is not stored there is nothing to do. If the user was current, nobody is afterwards.
    /// - Throws: an error of the keyring; then nothing changes.
    public func signOut(uid: String) async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in try signOut(uid: uid) }
    }

    /// Signs every user out of the slot in use, in every app of the group. A damaged record is set aside.
    ///
    /// - Throws: an error of the keyring; then nothing changes.
    public func signOutAll() async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in try signOutAll() }
    }

    /// Every user stored in an access group, or with nil in the app's own slot, the current one first.
    ///
    /// There is more than one only if an app of the group is configured with `Options.keepsOtherUsers`.
    /// - Throws: as `getStoredUser(forAccessGroup:)`.
    public func storedUsers(inAccessGroup accessGroup: String?) async throws(AuthError) -> [User] {
        try await offload { [self] () throws(AuthError) in try storedUsers(inAccessGroup: accessGroup) }
    }

    /// Makes another user of the slot in use current, in every app of the group.
    ///
    /// - Throws: `userNotFound` when no user of this uid is stored there, `tenantIDMismatch`, or an error of the keyring;
    ///   then nothing changes.
    public func switchCurrentUser(toUID uid: String) async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in try switchCurrentUser(toUID: uid) }
    }

    /// Moves the current user to an access group, or with nil to the app's own slot, and switches there, in one step
    /// that loses the user at no instant.
    ///
    /// The same object stays the current user, and no listener is called in this app; apps that stay with the slot that
    /// is left hear that the user is gone. If the process dies meanwhile, the next start finishes the migration or takes
    /// it back; calling again completes it.
    /// - Throws: `nullUser` without a current user, `accessGroupOccupied` as `policy` says, `invalidAccessGroup`,
    ///   `accessGroupNotDeclared`, or an error of the keyring or the state directory; then user, group and stored choice
    ///   are as before.
    public func migrateCurrentUser(
        toAccessGroup accessGroup: String?,
        policy: MigrationPolicy = .failIfOccupied
    ) async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in
            try migrateCurrentUser(toAccessGroup: accessGroup, policy: policy)
        }
    }

    /// What the store of users says of itself: who keeps the secrets, and whether it is locked.
    ///
    /// It neither waits for the first load nor changes anything.
    /// - Throws: `keyringUnavailable`, `timedOut` or `accessDenied` when no keyring answers.
    public func storeStatus() async throws(AuthError) -> RecordStoreStatus {
        try await offload { [self] () throws(AuthError) in try storeStatus() }
    }
}

extension AuthApp {
    /// Deletes the app (Firebase: `FirebaseApp.delete`): the own slot is emptied, the name is free again, and its `Auth`
    /// calls no listener any more. Access groups and the stored choice of one stay.
    ///
    /// - Throws: an error of the keyring; then the app stays.
    public func delete() async throws(AuthError) {
        try await auth.offload { [self] () throws(AuthError) in try delete() }
    }
}
