internal import Synchronization

/// A service where users have accounts, such as GitHub: makes credentials of what it issued, and has persons sign in there, in the
/// browser (Firebase: `OAuthProvider`).
///
/// The identity provider asks the service itself, so the app needs no secret of the service. The identity provider has to support
/// this, as Firebase does. If the app asks the service itself, use `OpenIDSignIn` of OpenIDConnect to get the credential.
public final class OAuthProvider: FederatedAuthProvider {
    /// What Firebase calls the kind of provider.
    public static let id = "OAuth"

    /// Which service, as the identity provider calls it, e.g. `github.com` or `oidc.company`.
    public let providerID: String
    private let auth: Auth
    private let wishes = Mutex(Wishes())

    private struct Wishes {
        var scopes: [String] = []
        var customParameters: [String: String] = [:]
    }

    /// Names a service.
    ///
    /// - Parameters:
    ///   - providerID: which one, as the identity provider calls it.
    ///   - auth: whose identity provider asks it.
    public init(providerID: String, auth: Auth = Auth.auth()) {
        self.providerID = providerID
        self.auth = auth
    }

    /// Names a service.
    public static func provider(providerID: String) -> OAuthProvider { OAuthProvider(providerID: providerID) }

    /// Names a service, and whose identity provider asks it.
    public static func provider(providerID: String, auth: Auth) -> OAuthProvider {
        OAuthProvider(providerID: providerID, auth: auth)
    }

    /// What is asked for there, in addition to what the identity provider asks for.
    public var scopes: [String] {
        get { wishes.withLock { $0.scopes } }
        set { wishes.withLock { $0.scopes = newValue } }
    }

    /// What is added to the address of the sign-in page, such as `login_hint` or `prompt`.
    public var customParameters: [String: String] {
        get { wishes.withLock { $0.customParameters } }
        set { wishes.withLock { $0.customParameters = newValue } }
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

    /// As ``credential()``; the delegate has nothing to do.
    public func credential(with uiDelegate: (any AuthUIDelegate)?) async throws(AuthError) -> AuthCredential {
        try await credential()
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func getCredentialWith(
        _ uiDelegate: (any AuthUIDelegate)?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthCredential?, AuthError?) -> Void)?
    ) {
        auth.complete(completion) { [self] auth async throws(AuthError) in
            try await auth.engine.federatedSignIn.credential(of: self)
        }
    }

    /// Returns the credential as it is: what a service issued is a credential already.
    public static func credential(_ credential: OAuthCredential) -> OAuthCredential { credential }
}

/// What an identity provider does with the person's browser, in addition to being one.
public protocol BrowserActions: Sendable {
    /// Has the person sign in at a service that the identity provider knows; ends when the task is cancelled.
    ///
    /// - Throws: `webContextCancelled` when the person gives up.
    func credential(of provider: OAuthProvider, tenantID: String?) async throws(AuthError) -> AuthCredential
}
