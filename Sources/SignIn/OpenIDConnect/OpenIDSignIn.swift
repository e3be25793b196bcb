public import SharedAuth

/// A sign-in at an OpenID provider in the user's own browser: authorization code with PKCE, and a redirect to this
/// machine.
///
/// Throws `timedOut` if the user takes too long, `webContextCancelled` if the user declines or the task is cancelled,
/// `webSignInUserInteractionFailure` if no browser can be opened or the port is taken, `requiresRecentLogin` if the
/// user's sign-in is older than the parameter `max_age` allows, and the errors of ``OpenIDConnect``.
public struct OpenIDSignIn: FederatedAuthProvider {
    private let identityProvider: OpenIDConnect

    /// The browser settings.
    public var browser: BrowserSettings

    /// The time limit for the user.
    public var timeout: Duration = .seconds(300)

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - identityProvider: The app's identity provider.
    ///   - browser: The browser settings.
    public init(_ identityProvider: OpenIDConnect, browser: BrowserSettings = BrowserSettings()) {
        self.identityProvider = identityProvider
        self.browser = browser
    }

    /// The server at which the user signs in.
    public var providerID: String { identityProvider.client.providerID }

    /// Opens the browser and waits for the user.
    ///
    /// - Throws: The errors that ``OpenIDSignIn`` lists.
    public func credential() async throws(AuthError) -> AuthCredential { try await credential {} }

    /// Returns the same as ``credential()``, and calls `userIsDone` when the browser has been redirected.
    public func credential(userIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        try await identityProvider.credential(within: timeout, by: browser, userIsDone: userIsDone)
    }

    /// Passes on the redirect of a running sign-in by hand. See ``BrowserSettings/handle(redirect:)``.
    ///
    /// - Parameter address: The whole address that the browser was redirected to.
    /// - Throws: The errors of ``BrowserSettings/handle(redirect:)``.
    public func handle(redirect address: String) throws(AuthError) { try browser.handle(redirect: address) }

    /// Revokes the tokens of a credential that was not used.
    public func discard(_ credential: AuthCredential) async { await identityProvider.discard(credential) }
}
