/// A sign-in in which the user takes part, e.g. in a browser (Firebase: `FederatedAuthProvider`).
public protocol FederatedAuthProvider: Sendable {
    /// The ID of the service where the user signs in, e.g. `github.com`.
    var providerID: String { get }

    /// The time limit for the user. The default is 5 minutes.
    var timeout: Duration { get }

    /// Waits for the user to sign in, and returns the resulting credential. Ends when the task is cancelled.
    ///
    /// - Throws: `webContextCancelled` if the user or the app cancels.
    func credential() async throws(AuthError) -> AuthCredential

    /// Waits for the user to sign in, and reports when only the server has work left. The default implementation calls
    /// ``credential()``.
    ///
    /// - Parameter userIsDone: Call this when the user is done and only the server has work left, such as the
    ///   exchange of a code. It ends the user's time limit and starts the server's,
    ///   ``AuthApp/Options/identityTimeout``.
    /// - Throws: The errors of ``credential()``.
    func credential(userIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential

    /// Ends the session that a credential of this provider carries, because the sign-in failed and nobody keeps the
    /// credential. The default implementation does nothing, which suits a credential without a session. Errors cannot
    /// be reported.
    func discard(_ credential: AuthCredential) async
}

extension FederatedAuthProvider {
    /// 5 minutes.
    public var timeout: Duration { .seconds(300) }

    /// Calls ``credential()``; ``timeout`` applies to the whole call.
    public func credential(userIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        try await credential()
    }

    /// Does nothing.
    public func discard(_ credential: AuthCredential) async {}
}

/// A presenter of browser views (Firebase: `AuthUIDelegate`). SharedAuth opens the user's default browser and never
/// calls a delegate: pass nil.
public protocol AuthUIDelegate: AnyObject {}

extension Auth {
    /// Calls `signIn(with:)`; the delegate is not used.
    @discardableResult
    public func signIn(
        with provider: any FederatedAuthProvider,
        uiDelegate: (any AuthUIDelegate)?
    ) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: provider)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func signIn(
        with provider: any FederatedAuthProvider,
        uiDelegate: (any AuthUIDelegate)?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        signIn(with: provider, completion: completion)
    }
}

extension User {
    /// Calls `link(with:)`; the delegate is not used.
    @discardableResult
    public func link(
        with provider: any FederatedAuthProvider,
        uiDelegate: (any AuthUIDelegate)?
    ) async throws(AuthError) -> AuthDataResult {
        try await link(with: provider)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func link(
        with provider: any FederatedAuthProvider,
        uiDelegate: (any AuthUIDelegate)?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in try await user.link(with: provider) }
    }

    /// Calls `reauthenticate(with:)`; the delegate is not used.
    @discardableResult
    public func reauthenticate(
        with provider: any FederatedAuthProvider,
        uiDelegate: (any AuthUIDelegate)?
    ) async throws(AuthError) -> AuthDataResult {
        try await reauthenticate(with: provider)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func reauthenticate(
        with provider: any FederatedAuthProvider,
        uiDelegate: (any AuthUIDelegate)?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in try await user.reauthenticate(with: provider) }
    }
}
