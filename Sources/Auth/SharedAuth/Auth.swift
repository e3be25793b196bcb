internal import Synchronization

/// Signs users in and out, and keeps one signed-in user in step with every app of an access group (Firebase: `Auth`).
///
/// Thread-safe. Synchronous calls block until the keyring answers or `Options.timeout` passes, and never ask the person
/// to unlock anything. The first read of `currentUser` waits for the first load; later ones cost a lock.
///
/// Firebase's synchronous calls can be used in async code as they are; an overload that differs by `async` alone would break
/// such code, so their async forms have `timeout:`. SharedAuth's own calls have plain async overloads, which the compiler takes
/// wherever code can wait. The statements of a `main.swift` are the exception: there it takes the synchronous form, and says of
/// the `await` that it does nothing.
public final class Auth: Sendable {
    /// What the calls below work on.
    let engine: AuthEngine
    private let owner = Mutex(Owner())

    private struct Owner {
        weak var app: AuthApp?
    }

    init(name: String, options: AuthApp.Options, identity: AppIdentity, misconfiguration: AuthError? = nil) {
        engine = AuthEngine(name: name, options: options, identity: identity, misconfiguration: misconfiguration)
        engine.attach(to: self)
    }

    private static let unconfigured = Mutex<Auth?>(nil)

    /// The `Auth` of the app that was configured.
    ///
    /// Without `AuthApp.configure`, an app is configured now with the identity of the process (see
    /// `AuthApp.Options.appID`) and no identity provider; if not even that identity is well-formed, every call of the
    /// `Auth` throws `invalidAppIdentifier`.
    public static func auth() -> Auth {
        if let app = AuthApp.app() { return app.auth }
        do throws(AuthError) {
            return try AuthApp.configure(AuthApp.Options()).auth
        } catch {
            // Another thread may have configured meanwhile.
            if let app = AuthApp.app() { return app.auth }
            return unconfigured.withLock { auth in
                let fallback = auth ?? Auth(misconfigured: error)
                auth = fallback
                return fallback
            }
        }
    }

    /// The `Auth` of an app; the same object each time.
    public static func auth(app: AuthApp) -> Auth { app.auth }

    private convenience init(misconfigured error: AuthError) {
        self.init(
            name: AuthApp.defaultName,
            options: AuthApp.Options(store: .inMemory(), observesOtherProcesses: false),
            identity: .unknown,
            misconfiguration: error
        )
    }

    /// The app; nil when it is gone.
    public var app: AuthApp? { owner.withLock { $0.app } }

    func attach(_ app: AuthApp) {
        owner.withLock { $0.app = app }
    }

    /// Waits until what calls left for after their return is done.
    package func waitUntilIdle() { engine.waitUntilIdle() }

    /// The slot of an access group that this app may use, or with nil its own.
    func slot(named accessGroup: String?) throws(AuthError) -> Slot {
        if let misconfiguration = engine.misconfiguration { throw misconfiguration }
        guard let accessGroup else { return .own }
        return Slot(try engine.identity.accessGroup(named: accessGroup))
    }

    /// The app's identity provider, for the module that has it.
    ///
    /// - Throws: `operationNotAllowed` if the app has none.
    package func identityProvider() throws(AuthError) -> any IdentityProvider { try engine.identityProvider.get() }
}

/// The current user.
extension Auth {
    /// The current user; nil in every state but `signedIn`.
    ///
    /// The first call waits for the first load, up to the deadline; later ones cost a lock. A sign-in or sign-out
    /// by another process appears here by itself.
    public var currentUser: User? {
        engine.afterFirstLoad { $0.user }
    }

    /// As `currentUser`, without blocking a thread that runs async code; at once when the first load has ended.
    ///
    /// - Throws: `timedOut` when the first load does not end within `timeout`; it goes on then.
    public func currentUser(timeout: Duration) async throws(AuthError) -> User? {
        try await engine.waitForFirstLoad(timeout)
        return engine.state.user
    }

    /// What is known of the current user; waits for nothing.
    public var state: AuthState { engine.state.answer }

    /// Waits until the first load has ended, with success or not, and returns the state.
    public func ready() async -> AuthState {
        try? await engine.waitForFirstLoad(engine.options.timeout * 2)
        return state
    }

    /// The tenant users of this `Auth` belong to; nil: none.
    ///
    /// Until the app sets it, it follows the user that is restored, signs in, or is signed in by another process, and the next
    /// sign-in is for it. A switch of group does not follow: `useUserAccessGroup` refuses a user of another tenant, as Firebase does.
    public var tenantID: String? {
        get {
            engine.afterFirstLoad { $0.tenant.id }
        }
        set {
            engine.chooseTenant(newValue)
        }
    }

    /// As `tenantID`, without blocking a thread that runs async code; at once when the first load has ended.
    ///
    /// - Throws: `timedOut` when the first load does not end within `timeout`; it goes on then.
    public func tenantID(timeout: Duration) async throws(AuthError) -> String? {
        try await engine.waitForFirstLoad(timeout)
        return engine.state.tenant.id
    }

    /// Makes a user current and stores them in the slot in use, in place of the user who is there (Firebase:
    /// `updateCurrentUser`). It also puts back a user whom another process has just signed out: the app asks for it.
    ///
    /// A user of another project is first looked up with this project's identity provider, and belongs to this project from then
    /// on. If the slot has newer tokens of the same user and issuer, those stay. The slot that the user came from keeps the user:
    /// where the identity provider gives each refresh token once, sign the user out there.
    /// - Throws: `tenantIDMismatch` or what the identity provider says, and nothing changes; an error of the keyring,
    ///   and the user is current all the same, but not stored (as in Firebase).
    public func updateCurrentUser(_ user: User) async throws(AuthError) {
        if user.snapshot.project != engine.options.project { try await bringIn(user) }
        try await engine.onQueue { [self] () throws(AuthError) in try makeCurrent(user) }
    }

    /// As the async form; nil gives `nullUser`. The completion is called on its actor, else through the listener executor, after the
    /// listeners.
    public func updateCurrentUser(
        _ user: User?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            guard let user else {
                throw AuthError(.nullUser, "updateCurrentUser needs a user. To sign out, call signOut().")
            }
            try await auth.updateCurrentUser(user)
        }
    }

    /// Makes another user of the slot in use current, in every app of the group.
    ///
    /// - Throws: `userNotFound` when no user of this uid is stored there; `conflict` when several have it, of other issuers than this
    ///   app's; `tenantIDMismatch`, or an error of the keyring; then nothing changes.
    public func switchCurrentUser(toUID uid: String) throws(AuthError) {
        try engine.withOperation { operation throws(AuthError) in
            try operation.select { (record, slot) throws(AuthError) in
                try record.account(uid: uid, issuedBy: engine.identityProvider.issuer, in: slot.description)
            }
        }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func switchCurrentUser(toUID uid: String) async throws(AuthError) {
        try await engine.offload { [self] () throws(AuthError) in try switchCurrentUser(toUID: uid) }
    }

    /// Makes another user of the slot in use current, in every app of the group; of two users with one uid, this one.
    ///
    /// - Throws: as `switchCurrentUser(toUID:)`.
    public func switchCurrentUser(to user: User) throws(AuthError) {
        try engine.withOperation { operation throws(AuthError) in
            try operation.select { record, _ in record.account(user.id) }
        }
    }

    /// As the synchronous form, without blocking a thread that runs async code.
    ///
    /// - Throws: as that.
    public func switchCurrentUser(to user: User) async throws(AuthError) {
        try await engine.offload { [self] () throws(AuthError) in try switchCurrentUser(to: user) }
    }

    private func makeCurrent(_ user: User) throws(AuthError) {
        try engine.withOperation { operation throws(AuthError) in
            let account = user.snapshot
            try operation.state.checkTenant(of: account)
            let stored: Result<ChangedSlot, AuthError>
            do throws(AuthError) {
                stored = .success(try operation.signIn(account, keepingNewerTokens: true))
            } catch {
                stored = .failure(error)
            }
            let changed = try? stored.get()
            let slot = if let changed { changed.slot } else { try operation.currentSlot() }
            user.attach(to: self, in: slot)
            // What could not be stored leaves the slot as it was last seen.
            operation.signedIn(user, in: slot, changed?.contents)
            _ = try stored.get()
        }
    }

    /// Makes a user of another project one of ours, if our identity provider knows them.
    private func bringIn(_ user: User) async throws(AuthError) {
        let identityProvider = try engine.identityProvider.get()
        var account = user.snapshot
        let tokens = account.tokens
        account.profile = try await engine.identityProvider.ask { () async throws(AuthError) in
            try await identityProvider.profile(for: tokens)
        }
        account.project = engine.options.project
        account.issuer = identityProvider.issuer
        try account.checkUID()
        try engine.state.checkTenant(of: account)
        user.replace(with: account)
    }
}
