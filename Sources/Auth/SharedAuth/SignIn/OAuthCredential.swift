/// What another service says of a user who signed in there (Firebase: `OAuthCredential`); printed, it shows the provider id alone.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
    /// The ID token, if the service issues one.
    public let idToken: String?
    /// The raw nonce, whose hash is the nonce of the ID token.
    public let rawNonce: String?
    /// The access token, if the service issues one.
    public let accessToken: AccessToken?
    /// The refresh token, if the service issues one.
    public let refreshToken: String?
    /// The secret of the access token, where the service is of OAuth 1.
    public let secret: String?
    /// Stands for the credential at the identity provider, in place of what the service issued.
    package let pendingToken: String?
    /// What the browser came back with, for an identity provider that asks the service itself.
    package let redirect: Redirect?

    /// The end of a sign-in at a page that the identity provider named; good for one use.
    package struct Redirect: Sendable {
        /// The attempt that it belongs to.
        package let sessionID: String
        /// Where the browser came back to, with all parameters.
        package let url: String

        package init(sessionID: String, url: String) {
            self.sessionID = sessionID
            self.url = url
        }
    }

    /// Where the user signed in, e.g. `github.com`.
    public var providerID: String { provider }

    /// The credential itself.
    public override var content: Content { .oauth(self) }

    /// Makes a credential.
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

    /// Makes a credential with what an identity provider knows of it.
    package init(
        providerID: String,
        idToken: String? = nil,
        rawNonce: String? = nil,
        accessToken: AccessToken? = nil,
        refreshToken: String? = nil,
        secret: String? = nil,
        pendingToken: String?,
        redirect: Redirect? = nil
    ) {
        self.idToken = idToken
        self.rawNonce = rawNonce
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.secret = secret
        self.pendingToken = pendingToken
        self.redirect = redirect
        // What it was given is the credential itself.
        super.init(provider: providerID, content: .customToken(""))
    }
}
