internal import Synchronization

/// A service where users have accounts, such as GitHub (Firebase: `OAuthProvider`). Signs users in there, in the
/// browser, and creates credentials from the tokens that the service issued.
///
/// The identity provider requests the tokens from the service, so the app needs no client secret. The identity provider
/// must support this, as Firebase does. An app that requests the tokens itself gets its credential from `OpenIDSignIn`
/// of OpenIDConnect.
public final class OAuthProvider: FederatedAuthProvider {
    /// Firebase's name for this kind of provider.
    public static let id = "OAuth"

    /// The ID of the service, as the identity provider names it, e.g. `github.com` or `oidc.company`.
    public let providerID: String
    private let auth: Auth
    private let wishes = Mutex(Wishes())

    private struct Wishes {
        var scopes: [String] = []
        var customParameters: [String: String] = [:]
    }

    /// Creates a provider for a service.
    ///
    /// - Parameters:
    ///   - providerID: The ID of the service, as the identity provider names it.
    ///   - auth: The `Auth` whose identity provider requests the tokens.
    public init(providerID: String, auth: Auth = Auth.auth()) {
        self.providerID = providerID
        self.auth = auth
    }

    /// Returns a provider for a service.
    public static func provider(providerID: String) -> OAuthProvider { OAuthProvider(providerID: providerID) }

    /// Returns a provider for a service and the `Auth` whose identity provider requests the tokens.
    public static func provider(providerID: String, auth: Auth) -> OAuthProvider {
        OAuthProvider(providerID: providerID, auth: auth)
    }

    /// The OAuth scopes to request, in addition to those that the identity provider requests.
    public var scopes: [String] {
        get { wishes.withLock { $0.scopes } }
        set { wishes.withLock { $0.scopes = newValue } }
    }

    /// The parameters to add to the address of the sign-in page, such as `login_hint` or `prompt`.
    public var customParameters: [String: String] {
        get { wishes.withLock { $0.customParameters } }
        set { wishes.withLock { $0.customParameters = newValue } }
    }

    /// Opens the browser, waits for the user to sign in, and returns the resulting credential.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer this; `webContextCancelled`,
    ///   `webSignInUserInteractionFailure`, `timedOut`, or another error of the identity provider.
    public func credential() async throws(AuthError) -> AuthCredential {
        let engine = auth.engine
        let identityProvider = try engine.identityProvider.get()
        guard let actions = identityProvider as? any BrowserActions else {
            throw .notOffered("sign-in at \(providerID) in the browser", by: identityProvider.issuer)
        }
        let tenantID = try await auth.tenantID(timeout: engine.options.timeout)
        return try await actions.credential(of: self, tenantID: tenantID)
    }

    /// Calls ``credential()``; the delegate is not used.
    public func credential(with uiDelegate: (any AuthUIDelegate)?) async throws(AuthError) -> AuthCredential {
        try await credential()
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func getCredentialWith(
        _ uiDelegate: (any AuthUIDelegate)?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthCredential?, AuthError?) -> Void)?
    ) {
        auth.complete(completion) { [self] auth async throws(AuthError) in
            try await auth.engine.credential(of: self)
        }
    }

    /// Returns the credential unchanged.
    public static func credential(_ credential: OAuthCredential) -> OAuthCredential { credential }
}

/// The browser sign-in of an identity provider.
public protocol BrowserActions: Sendable {
    /// Signs the user in, in the browser, at a service that the identity provider supports. Ends when the task is
    /// cancelled.
    ///
    /// - Throws: `webContextCancelled` if the user cancels.
    func credential(of provider: OAuthProvider, tenantID: String?) async throws(AuthError) -> AuthCredential
}
