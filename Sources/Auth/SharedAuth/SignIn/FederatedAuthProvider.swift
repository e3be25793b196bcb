/// A sign-in that a person takes part in, e.g. in a browser (Firebase: `FederatedAuthProvider`).
public protocol FederatedAuthProvider: Sendable {
    /// Where the person signs in, e.g. `github.com`.
    var providerID: String { get }

    /// How long the person may take; 5 minutes unless it is given.
    var timeout: Duration { get }

    /// Has the person sign in; ends when the task is cancelled.
    ///
    /// - Throws: `webContextCancelled` when the person or the app gives up.
    func credential() async throws(AuthError) -> AuthCredential

    /// As ``credential()``; the default implementation calls that.
    ///
    /// - Parameter personIsDone: call it when the person is done and only the server has work left, such as the exchange of a code.
    ///   The person's time then ends, and the server's time begins: ``AuthApp/Options/identityTimeout``.
    func credential(personIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential
}

extension FederatedAuthProvider {
    /// 5 minutes.
    public var timeout: Duration { .seconds(300) }

    /// Calls ``credential()``; the whole time counts as the person's.
    public func credential(personIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        try await credential()
    }
}

/// A view that Firebase would show the browser in (Firebase: `AuthUIDelegate`). Here the browser is the person's own, and nothing is
/// asked of a delegate: give nil.
public protocol AuthUIDelegate: AnyObject {}

extension Auth {
    /// As `signIn(with:)`; the delegate has nothing to do.
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
    /// As `link(with:)`; the delegate has nothing to do.
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

    /// As `reauthenticate(with:)`; the delegate has nothing to do.
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
