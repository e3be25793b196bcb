public import FoundationEssentials
internal import Synchronization

/// Signs users in and out, and shares the signed-in user with every app of an access group (Firebase: `Auth`).
///
/// This program signs in an anonymous user and prints the user's ID after each change:
///
/// ```swift
/// import LocalIdentity
/// import SharedAuth
///
/// @main
/// struct Hello {
///     static func main() async {
///         do {
///             try AuthApp.configure(
///                 .init(appID: "com.example.Mail", accessGroup: "group.com.example.office", identityProvider: .local)
///             )
///             let auth = Auth.auth()
///             if auth.currentUser == nil { try await auth.signInAnonymously() }
///             for await user in auth.authStateChanges { print(user?.uid ?? "signed out") }
///         } catch { print(error) }
///     }
/// }
/// ```
///
/// A second program with another app id and the same code finds the user and does not sign in again.
///
/// ## Threads and deadlines
///
/// `Auth` is thread-safe. Synchronous calls block until the keyring responds or `Options.timeout` passes, and never
/// prompt the user to unlock the keyring. The first read of ``currentUser`` waits for the first load; later reads take
/// a lock only.
///
/// ## Synchronous and asynchronous forms
///
/// Firebase's synchronous calls work unchanged in async code. An overload that differs only by `async` would break such
/// code, so their async forms have a parameter `timeout:`. SharedAuth's own calls have plain async overloads, which the
/// compiler selects wherever code can await. Statements in `main.swift` are the exception: there, the compiler selects
/// the synchronous form and warns that `await` has no effect.
///
/// ## Errors
///
/// Calls throw ``AuthError``. "Throws" sections name the codes of ``AuthErrorCode`` that are particular to a call. A
/// "keyring error" has one of the codes `keyringLocked`, `keyringUnavailable`, `keyringChanged`, `recordDamaged`,
/// `recordVersionUnsupported`, `accessDenied`, `promptDismissed`, `storeFull`, `timedOut`, `outcomeUnknown`,
/// `conflict`, `fileLocksUnavailable` or `keychainError`.
///
/// ## Topics
///
/// ### Getting an instance
///
/// - ``auth()``
/// - ``auth(app:)``
/// - ``app``
///
/// ### Reading the current user
///
/// - ``currentUser``
/// - ``currentUser(timeout:)``
/// - ``state``
/// - ``stateAsOf``
/// - ``ready()``
/// - ``saveFailure``
///
/// ### Observing changes
///
/// - ``authStateChanges``
/// - ``idTokenChanges``
/// - ``saveFailureChanges``
/// - ``addStateDidChangeListener(_:)``
/// - ``addIDTokenDidChangeListener(_:)``
/// - ``removeStateDidChangeListener(_:)``
/// - ``removeIDTokenDidChangeListener(_:)``
///
/// ### Signing in
///
/// - ``signInAnonymously()``
/// - ``signIn(withEmail:password:)``
/// - ``signIn(withEmail:link:)``
/// - ``signIn(withCustomToken:)``
/// - ``signIn(with:)-(AuthCredential)``
/// - ``signIn(with:)-(FederatedAuthProvider)``
/// - ``signIn(with:uiDelegate:)``
/// - ``createUser(withEmail:password:)``
///
/// ### Signing out
///
/// - ``signOut()``
/// - ``signOut(timeout:)``
/// - ``signOut(uid:)-243oo``
/// - ``signOut(_:)-30byg``
/// - ``signOutAll()-6a8rz``
///
/// ### Sharing users in access groups
///
/// - ``userAccessGroup``
/// - ``userAccessGroup(timeout:)``
/// - ``useUserAccessGroup(_:)``
/// - ``useUserAccessGroup(_:timeout:)``
/// - ``getStoredUser(forAccessGroup:)``
/// - ``getStoredUser(forAccessGroup:timeout:)``
/// - ``storedUsers(inAccessGroup:)-6rpbg``
/// - ``shareAuthStateAcrossDevices``
/// - ``migrateCurrentUser(toAccessGroup:policy:)-3ddte``
///
/// ### Changing the current user
///
/// - ``updateCurrentUser(_:)``
/// - ``switchCurrentUser(to:)-3tq15``
/// - ``switchCurrentUser(toUID:)-4sfci``
/// - ``tenantID``
/// - ``tenantID(timeout:)``
///
/// ### Resetting passwords and handling e-mail links
///
/// - ``sendPasswordReset(withEmail:actionCodeSettings:)``
/// - ``verifyPasswordResetCode(_:)``
/// - ``confirmPasswordReset(withCode:newPassword:)``
/// - ``sendSignInLink(toEmail:actionCodeSettings:)``
/// - ``isSignIn(withEmailLink:)``
/// - ``checkActionCode(_:)``
/// - ``applyActionCode(_:)``
///
/// ### Managing the keyring
///
/// - ``storeStatus()-4k28``
/// - ``unlock(timeout:)``
/// - ``createCollection(forAccessGroup:timeout:)``
public final class Auth: Sendable {
    /// The engine that carries out the calls.
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

    /// Returns the `Auth` of the configured app.
    ///
    /// If `AuthApp.configure` was not called, configures an app with the identity of the process (see
    /// `AuthApp.Options.appID`) and no identity provider. If that identity is malformed, every call of the returned
    /// `Auth` throws `invalidAppIdentifier`.
    public static func auth() -> Auth {
        if let app = AuthApp.app() { return app.auth }
        do throws(AuthError) {
            return try AuthApp.configure(AuthApp.Options()).auth
        } catch {
            // Another thread may have configured the app in the meantime.
            if let app = AuthApp.app() { return app.auth }
            return unconfigured.withLock { auth in
                let fallback = auth ?? Auth(misconfigured: error)
                auth = fallback
                return fallback
            }
        }
    }

    /// Returns the `Auth` of an app; the same object each time.
    public static func auth(app: AuthApp) -> Auth { app.auth }

    private convenience init(misconfigured error: AuthError) {
        self.init(
            name: AuthApp.defaultName,
            options: AuthApp.Options(store: .inMemory(), observesOtherProcesses: false),
            identity: .unknown,
            misconfiguration: error
        )
    }

    /// The app; nil once it is deallocated.
    public var app: AuthApp? { owner.withLock { $0.app } }

    func attach(_ app: AuthApp) {
        owner.withLock { $0.app = app }
    }

    /// Waits until the work that calls continue after their return is done.
    package func waitUntilIdle() { engine.waitUntilIdle() }

    /// Returns the slot of an access group, or the app's own slot for nil.
    ///
    /// - Throws: `invalidAccessGroup` if the name is malformed; `accessGroupNotDeclared` if the app may not use the
    ///   group; `operationNotAllowed` if its store does not do what ``shareAuthStateAcrossDevices`` says.
    func slot(named accessGroup: String?) throws(AuthError) -> Slot {
        if let misconfiguration = engine.misconfiguration { throw misconfiguration }
        guard let accessGroup else { return .own }
        try engine.checkSharing()
        return Slot(try engine.identity.accessGroup(named: accessGroup))
    }

    /// Returns the app's identity provider, for the module that implements it.
    ///
    /// - Throws: `operationNotAllowed` if the app has no identity provider.
    package func identityProvider() throws(AuthError) -> any IdentityProvider { try engine.identityProvider.get() }
}

/// The current user.
extension Auth {
    /// The current user; nil in every state but `signedIn`.
    ///
    /// The first read waits for the first load, up to the deadline; later reads take a lock only. Sign-ins and
    /// sign-outs by other processes appear here automatically.
    public var currentUser: User? {
        engine.afterFirstLoad { $0.user }
    }

    /// Returns the current user without blocking a thread that runs async code; immediately once the first load has
    /// ended.
    ///
    /// - Throws: `timedOut` if the first load does not end within `timeout`; the load continues.
    public func currentUser(timeout: Duration) async throws(AuthError) -> User? {
        try await engine.waitForFirstLoad(timeout)
        return engine.now { $0.user }
    }

    /// The state of the current user. Reading it never waits.
    public var state: AuthState { engine.now { $0.answer } }

    /// The time as of which ``state`` is known if it comes from this device's copy, because the server of the person's
    /// fleet is away; nil otherwise. Reading it never waits, and no listener is called when it changes.
    ///
    /// An app whose store is a fleet learns it with the next read of the slot.
    public var stateAsOf: Date? { engine.stateAsOf }

    /// Waits until the first load has succeeded or failed, and returns the state.
    public func ready() async -> AuthState {
        try? await engine.waitForFirstLoad(engine.options.timeout * 2)
        return state
    }

    /// The id of the tenant that the users of this `Auth` belong to; nil for no tenant.
    ///
    /// Until the app sets it, it follows the user that is restored or signs in, in this process or another. The next
    /// sign-in uses it. It does not follow a group switch: `useUserAccessGroup` rejects a user of another tenant, as
    /// Firebase does.
    ///
    /// Setting it does not change the current user. It is checked when a user becomes current: a sign-in, a switch or
    /// `updateCurrentUser` throws for a user of another tenant, and one whom another app of the group signs in stays
    /// stored and is not shown here.
    public var tenantID: String? {
        get {
            engine.afterFirstLoad { $0.tenant.id }
        }
        set {
            engine.chooseTenant(newValue)
        }
    }

    /// Returns the tenant's id without blocking a thread that runs async code; immediately once the first load has
    /// ended.
    ///
    /// - Throws: `timedOut` if the first load does not end within `timeout`; the load continues.
    public func tenantID(timeout: Duration) async throws(AuthError) -> String? {
        try await engine.waitForFirstLoad(timeout)
        return engine.now { $0.tenant.id }
    }

    /// Makes a user current and stores it in the slot in use, replacing the user stored there (Firebase:
    /// `updateCurrentUser`).
    ///
    /// The call is explicit, so it also restores a user whom another process has just signed out. For a user of another
    /// project, this project's identity provider is queried first, and the user then belongs to this project. If the
    /// slot has newer tokens of the same user and issuer, those are kept. The slot that the user came from keeps the
    /// user: if the identity provider accepts each refresh token only once, sign the user out there.
    ///
    /// - Throws: `tenantIDMismatch` if the user belongs to another tenant, or an error of the identity provider;
    ///   nothing changes then. A keyring error or `stateDirectoryUnusable`; the user is then current but not stored,
    ///   as in Firebase.
    public func updateCurrentUser(_ user: User) async throws(AuthError) {
        if user.snapshot.project != engine.options.project { try await bringIn(user) }
        try await engine.onQueue { [self] () throws(AuthError) in try makeCurrent(user) }
    }

    /// Calls the async form, or passes `nullUser` to the completion if `user` is nil. The completion runs on its actor,
    /// or through the listener executor if it has no actor, after the listeners.
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

    /// Makes another user stored in the slot in use current, in every app of the group.
    ///
    /// - Throws: `userNotFound` if no user with this uid is stored there; `conflict` if several users have the uid and
    ///   none is of this app's issuer; `tenantIDMismatch` if the user belongs to another tenant; a keyring error.
    ///   Nothing changes then.
    public func switchCurrentUser(toUID uid: String) throws(AuthError) {
        try engine.withOperation { operation throws(AuthError) in
            try operation.select { (record, slot) throws(AuthError) in
                try record.account(uid: uid, issuedBy: engine.identityProvider.issuer, in: slot.description)
            }
        }
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code.
    ///
    /// - Throws: The errors of the synchronous form.
    public func switchCurrentUser(toUID uid: String) async throws(AuthError) {
        try await engine.offload { [self] () throws(AuthError) in try switchCurrentUser(toUID: uid) }
    }

    /// Makes another user stored in the slot in use current, in every app of the group. The user is found by uid and
    /// issuer, so another user with the same uid is not affected.
    ///
    /// - Throws: The errors of `switchCurrentUser(toUID:)`, except `conflict` for the uid.
    public func switchCurrentUser(to user: User) throws(AuthError) {
        try engine.withOperation { operation throws(AuthError) in
            try operation.select { record, _ in record.account(user.id) }
        }
    }

    /// Does the same as the synchronous form without blocking a thread that runs async code.
    ///
    /// - Throws: The errors of the synchronous form.
    public func switchCurrentUser(to user: User) async throws(AuthError) {
        try await engine.offload { [self] () throws(AuthError) in try switchCurrentUser(to: user) }
    }

    private func makeCurrent(_ user: User) throws(AuthError) {
        try engine.withOperation { operation throws(AuthError) in
            // As in a record, an account of an unknown issuer is of the reader's own.
            if user.id.issuer == nil { user.setIssuer(engine.identityProvider.issuer) }
            let account = user.snapshot
            if account.isOnFleet { throw .keptOnFleet(account) }
            try operation.checkMayChange()
            try operation.state.checkTenant(of: account)
            let stored: StoredAccount
            do throws(AuthError) {
                stored = try operation.signIn(account, keepingNewerTokens: true).stored
            } catch {
                if error.code.forbidsGroup { throw error }
                user.attach(to: self, in: try? operation.slotInUse().slot)
                operation.apply(.signedInUnsaved(user))
                throw error
            }
            user.attach(to: self, in: stored.slot)
            operation.apply(.signedIn(user, stored))
        }
    }

    /// Makes a user of another project a user of this one, if this project's identity provider recognizes the user.
    private func bringIn(_ user: User) async throws(AuthError) {
        let identityProvider = try engine.identityProvider.get()
        var account = user.snapshot
        let tokens = account.tokens
        account.profile = try await engine.identityProvider.ask { () async throws(AuthError) in
            try await identityProvider.profile(for: tokens)
        }
        account.project = engine.options.project
        let isOwn = account.isIssued(by: identityProvider.issuer)
        if isOwn || !engine.identityProvider.issued(account) { account.issuer = identityProvider.issuer }
        try account.checkUID()
        try engine.state.checkTenant(of: account)
        user.replace(with: account)
    }
}
