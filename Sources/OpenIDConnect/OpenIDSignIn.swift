public import SharedAuth

/// A sign-in at an OpenID provider in the person's own browser: authorization code with PKCE, and a redirect to this machine.
///
/// Ends with `timedOut` when the time for the person is over, `webContextCancelled` when the person declines or the task is
/// cancelled, `webSignInUserInteractionFailure` if no browser can be opened or the port is taken, and as ``OpenIDConnect``.
public struct OpenIDSignIn: FederatedAuthProvider {
    private let identityProvider: OpenIDConnect

    /// Settings for the browser.
    public var browser: BrowserSettings

    /// The time that the person may take.
    public var timeout: Duration = .seconds(300)

    /// Makes a sign-in.
    ///
    /// - Parameters:
    ///   - identityProvider: the app's identity provider.
    ///   - browser: settings for the browser.
    public init(_ identityProvider: OpenIDConnect, browser: BrowserSettings = BrowserSettings()) {
        self.identityProvider = identityProvider
        self.browser = browser
    }

    /// The server at which the person signs in.
    public var providerID: String { identityProvider.client.providerID }

    /// Opens the browser, and waits for the person.
    ///
    /// - Throws: what the documentation of ``OpenIDSignIn`` names.
    public func credential() async throws(AuthError) -> AuthCredential { try await credential {} }

    /// As ``credential()``; the person is done when the browser is back.
    public func credential(personIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        let flow = CodeFlow(target: identityProvider, settings: browser, timeout: timeout, personIsDone: personIsDone)
        return OAuthProvider.credential(try await flow.run())
    }
}
