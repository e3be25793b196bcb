/// A service where users have accounts, such as GitHub: makes credentials of what it issued, and has persons sign in there, in the
/// browser (Firebase: `OAuthProvider`).
///
/// The identity provider asks the service itself, so the app needs no secret of the service. The identity provider has to support
/// this, as Firebase does. If the app asks the service itself, use `OpenIDSignIn` of OpenIDConnect to get the credential.
public struct OAuthProvider: FederatedAuthProvider {
    /// Which service, as the identity provider calls it, e.g. `github.com` or `oidc.company`.
    public let providerID: String
    /// What is asked for there, in addition to what the identity provider asks for.
    public var scopes: [String] = []
    /// What is added to the address of the sign-in page, such as `login_hint` or `prompt`.
    public var customParameters: [String: String] = [:]
    private let auth: Auth

    /// Names a service.
    ///
    /// - Parameters:
    ///   - providerID: which one, as the identity provider calls it.
    ///   - auth: whose identity provider asks it.
    public init(providerID: String, auth: Auth = Auth.auth()) {
        self.providerID = providerID
        self.auth = auth
    }

    /// Opens the browser, and waits for the person.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer this; `webContextCancelled`,
    ///   `webSignInUserInteractionFailure`, `timedOut`, or what else it says.
    public func credential() async throws(AuthError) -> AuthCredential {
        let engine = auth.engine
        let identityProvider = try engine.identityProvider.get()
        guard let actions = identityProvider as? any BrowserActions else {
            throw .notOffered("sign-in at \(providerID) in the browser", by: identityProvider.issuer)
        }
        let tenantID = try await auth.tenantID(timeout: engine.options.timeout)
        return try await actions.credential(of: self, tenantID: tenantID)
    }

    /// Makes a credential.
    public static func credential(_ credential: OAuthCredential) -> AuthCredential {
        AuthCredential(provider: credential.providerID, content: .oauth(credential))
    }
}

/// What an identity provider does with the person's browser, in addition to being one.
public protocol BrowserActions: Sendable {
    /// Has the person sign in at a service that the identity provider knows; ends when the task is cancelled.
    ///
    /// - Throws: `webContextCancelled` when the person gives up.
    func credential(of provider: OAuthProvider, tenantID: String?) async throws(AuthError) -> AuthCredential
}
