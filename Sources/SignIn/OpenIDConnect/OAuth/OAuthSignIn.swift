public import SharedAuth

/// A sign-in at a plain OAuth 2 server in the user's own browser: authorization code with PKCE, and a redirect to this
/// machine. It throws the same errors as ``OpenIDSignIn``.
public struct OAuthSignIn: FederatedAuthProvider {
    private let identityProvider: OAuth2

    /// The browser settings.
    public var browser: BrowserSettings

    /// The time limit for the user.
    public var timeout: Duration = .seconds(300)

    /// Creates a sign-in.
    ///
    /// - Parameters:
    ///   - identityProvider: The app's identity provider, or another one whose credential that accepts.
    ///   - browser: The browser settings.
    public init(_ identityProvider: OAuth2, browser: BrowserSettings = BrowserSettings()) {
        self.identityProvider = identityProvider
        self.browser = browser
    }

    /// The server at which the user signs in.
    public var providerID: String { identityProvider.providerID }

    /// Opens the browser and waits for the user. `Auth.signIn(with:)` calls it.
    ///
    /// If the app registers its clients, it can be called directly once `Auth` has used the identity provider.
    ///
    /// - Throws: The errors that ``OpenIDSignIn`` lists; `operationNotAllowed` if the server does not register the app.
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

    /// Revokes the tokens of a credential that was not used, if the server can do that.
    public func discard(_ credential: AuthCredential) async { await identityProvider.discard(credential) }
}
