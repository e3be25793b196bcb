/// A credential that another service, such as GitHub, issued (Firebase: `OAuthCredential`).
///
/// Printing it shows only the provider ID.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
    /// The ID token, if the service issues one.
    public let idToken: String?
    /// The raw nonce; the ID token has its hash.
    public let rawNonce: String?
    /// The access token, if the service issues one.
    public let accessToken: AccessToken?
    /// The refresh token, if the service issues one.
    public let refreshToken: String?
    /// The secret of the access token, for OAuth 1 services.
    public let secret: String?
    /// The identity provider's reference to the credential, used instead of the tokens that the service issued.
    package let pendingToken: String?
    /// The browser's redirect, for an identity provider that requests the tokens from the service itself.
    package let redirect: Redirect?
    /// The client that the tokens were issued to, if the service has several of the app.
    package let clientID: String?

    /// The redirect at the end of a browser sign-in at a page that the identity provider chose. Valid for one use.
    package struct Redirect: Sendable {
        /// The ID of the sign-in attempt that the redirect belongs to.
        package let sessionID: String
        /// The URL that the browser was redirected to, with all parameters.
        package let url: String

        package init(sessionID: String, url: String) {
            self.sessionID = sessionID
            self.url = url
        }
    }

    /// The ID of the service where the user signed in, e.g. `github.com`.
    public var providerID: String { provider }

    /// The credential itself.
    public override var content: Content { .oauth(self) }

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - providerID: The ID of the service, as the identity provider names it, e.g. `github.com`.
    ///   - idToken: The ID token, if the service issues one.
    ///   - rawNonce: The raw nonce; the ID token has its hash.
    ///   - accessToken: The access token, if the service issues one.
    ///   - refreshToken: The refresh token, if the service issues one.
    ///   - secret: The secret of the access token, for OAuth 1 services.
    public convenience init(
        providerID: String,
        idToken: String? = nil,
        rawNonce: String? = nil,
        accessToken: AccessToken? = nil,
        refreshToken: String? = nil,
        secret: String? = nil
    ) {
        self.init(
            providerID: providerID,
            idToken: idToken,
            rawNonce: rawNonce,
            accessToken: accessToken,
            refreshToken: refreshToken,
            secret: secret,
            pendingToken: nil
        )
    }

    /// Creates a credential with the identity provider's reference to it, with the redirect that it is obtained from,
    /// or with the client that it was issued to.
    package init(
        providerID: String,
        idToken: String? = nil,
        rawNonce: String? = nil,
        accessToken: AccessToken? = nil,
        refreshToken: String? = nil,
        secret: String? = nil,
        pendingToken: String?,
        redirect: Redirect? = nil,
        clientID: String? = nil
    ) {
        self.idToken = idToken
        self.rawNonce = rawNonce
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.secret = secret
        self.pendingToken = pendingToken
        self.redirect = redirect
        self.clientID = clientID
        // A placeholder: `content` is overridden.
        super.init(provider: providerID, content: .customToken(""))
    }
}
