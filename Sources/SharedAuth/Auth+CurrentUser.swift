internal import SecretService
internal import Synchronization

extension Auth {
    /// The current user; nil in every state but `signedIn`.
    ///
    /// The first call waits for the first load, up to the deadline; later ones cost a lock. A peer's sign-in or sign-out
    /// appears here by itself.
    public var currentUser: User? {
        afterFirstLoad { $0.user }
    }

    /// What is known of the current user; waits for nothing.
    public var state: AuthState { memory.withLock { $0.state } }

    /// Waits until the first load has ended, well or not, and says what is known then.
    public func ready() async -> AuthState {
        if memory.withLock({ $0.isLoading }) {
            _ = try? await onQueue { [self] () throws(AuthError) in try begin().end() }
        }
        return state
    }

    /// The tenant users of this `Auth` belong to; nil: none.
    ///
    /// Until the app sets it, it follows the user that is restored, signs in, or is signed in by a peer. A switch of group
    /// does not follow: `useUserAccessGroup` refuses a user of another tenant, as Firebase does.
    public var tenantID: String? {
        get {
            afterFirstLoad { $0.tenantID }
        }
        set {
            afterFirstLoad { memory in
                memory.tenantID = newValue
                memory.tenantIsChosen = true
            }
        }
    }

    /// Makes a user current and stores them in the slot in use, in place of whoever is there (Firebase:
    /// `updateCurrentUser`). It also puts back a user whom a peer has just signed out: it is an explicit act.
    ///
    /// A user of another project is first looked up with this project's identity provider.
    /// - Throws: `tenantIDMismatch` or what the identity provider says, and nothing changes; an error of the keyring,
    ///   and the user is current all the same, but not stored (as in Firebase).
    public func updateCurrentUser(_ user: User) async throws(AuthError) {
        if user.snapshot.project != options.project { try await bringIn(user) }
        try await onQueue { [self] () throws(AuthError) in try makeCurrent(user) }
    }

    /// As the async form; nil gives `nullUser`. The completion is called through the app's listener executor, after the
    /// listeners.
    public func updateCurrentUser(_ user: User?, completion: (@Sendable (AuthError?) -> Void)? = nil) {
        complete({ completion?($1) }) { auth async throws(AuthError) in
            guard let user else {
                throw AuthError(.nullUser, "updateCurrentUser needs a user. Call signOut() to have none.")
            }
            try await auth.updateCurrentUser(user)
        }
    }

    /// Signs the current user out of the slot in use: every app of the group is signed out.
    ///
    /// Without a current user nothing is touched, as in Firebase. When the state is locked, unavailable or damaged, the
    /// slot is tried first, so that this never passes for signed out what only could not be read. A damaged record is
    /// set aside.
    /// - Throws: an error of the keyring; then the user stays signed in.
    public func signOut() throws(AuthError) {
        let operation = try begin()
        defer { operation.end() }
        let slot = try currentSlot()
        if case .failed(let error) = memory.withLock({ $0.phase }), error.code != .recordDamaged {
            adopt(try slots.read(slot, within: operation.deadline), in: slot)
        }
        if case .signedOut = state { return }
        if let uid = memory.withLock({ $0.user?.uid }) { try deleteOriginals(of: uid, within: operation.deadline) }
        let contents = try signOutCurrent(of: slot, within: operation.deadline)
        memory.withLock { settle(nil, at: contents.revision, in: &$0) }
    }

    private func makeCurrent(_ user: User) throws(AuthError) {
        let operation = try begin()
        defer { operation.end() }
        let account = user.snapshot
        try checkTenant(of: account)
        let slot = try currentSlot()
        let stored: Result<SlotContents, AuthError>
        do throws(AuthError) {
            stored = .success(try signIn(account, to: slot, within: operation.deadline))
        } catch {
            stored = .failure(error)
        }
        user.attach(to: self, in: slot)
        memory.withLock { memory in
            // What could not be stored leaves the slot as it was last seen.
            settle(user, at: (try? stored.get())?.revision ?? memory.revision, in: &memory)
        }
        _ = try stored.get()
    }

    /// Makes a user of another project one of ours, if our identity provider knows them.
    private func bringIn(_ user: User) async throws(AuthError) {
        let provider = try identityProvider()
        var account = user.snapshot
        account.project = options.project
        account.profile = try await provider.profile(idToken: account.tokens.idToken)
        user.replace(with: account)
    }

    /// Waits for the first load, and looks at what is known then; one lock, once it has ended.
    func afterFirstLoad<Value: Sendable>(_ look: (inout Memory) -> Value) -> Value {
        let seen = memory.withLock { memory in memory.isLoading ? nil : look(&memory) }
        if let seen { return seen }
        try? begin().end()
        return memory.withLock { look(&$0) }
    }
}
