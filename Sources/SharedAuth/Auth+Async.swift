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

    /// As `currentUser`, without blocking a thread that runs async code; at once when the first load has ended.
    ///
    /// - Throws: `timedOut` when the first load does not end within `timeout`; it goes on then.
    public func currentUser(timeout: Duration) async throws(AuthError) -> User? {
        try await waitForFirstLoad(timeout)
        return sessionState.user
    }

    /// As `userAccessGroup`, without blocking a thread that runs async code; at once when the first load has ended.
    ///
    /// - Throws: `timedOut` when the first load does not end within `timeout`; it goes on then.
    public func userAccessGroup(timeout: Duration) async throws(AuthError) -> String? {
        try await waitForFirstLoad(timeout)
        return sessionState.slot?.groupName
    }

    /// As `tenantID`, without blocking a thread that runs async code; at once when the first load has ended.
    ///
    /// - Throws: `timedOut` when the first load does not end within `timeout`; it goes on then.
    public func tenantID(timeout: Duration) async throws(AuthError) -> String? {
        try await waitForFirstLoad(timeout)
        return sessionState.tenant.id
    }

    /// Waits for the first load, which has the time of a call, whatever the caller's patience.
    private func waitForFirstLoad(_ timeout: Duration) async throws(AuthError) {
        if !sessionState.isLoading { return }
        let hasEnded = DispatchSemaphore(value: 0)
        queue.async { [weak self] in
            try? self?.withOperation { _ in }
            hasEnded.signal()
        }
        let deadline = Deadline.after(timeout)
        _ = await DispatchQueue(label: "SharedAuth.call").perform { hasEnded.wait(timeout: deadline.dispatchTime) }
        if !sessionState.isLoading { return }
        throw AuthError(
            .timedOut,
            "The first load of \(identity.appID) did not end within \(timeout); it goes on. Ask again later, or with more "
                + "patience."
        )
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

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func signOut(uid: String) async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in try signOut(uid: uid) }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func signOutAll() async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in try signOutAll() }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func storedUsers(inAccessGroup accessGroup: String?) async throws(AuthError) -> [User] {
        try await offload { [self] () throws(AuthError) in try storedUsers(inAccessGroup: accessGroup) }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func switchCurrentUser(toUID uid: String) async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in try switchCurrentUser(toUID: uid) }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func migrateCurrentUser(
        toAccessGroup accessGroup: String?,
        policy: MigrationPolicy = .failIfOccupied
    ) async throws(AuthError) {
        try await offload { [self] () throws(AuthError) in
            try migrateCurrentUser(toAccessGroup: accessGroup, policy: policy)
        }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func storeStatus() async throws(AuthError) -> RecordStoreStatus {
        try await offload { [self] () throws(AuthError) in try storeStatus() }
    }
}

extension AuthApp {
    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func delete() async throws(AuthError) {
        try await auth.offload { [self] () throws(AuthError) in try delete() }
    }
}
