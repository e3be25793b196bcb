/// What another service says of a user who signed in there (Firebase: `OAuthCredential`); printed, it shows the provider id alone.
public struct OAuthCredential: Sendable {
    /// Where the user signed in, e.g. `github.com`.
    public let providerID: String
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
    package var pendingToken: String?
    /// What the browser came back with, for an identity provider that asks the service itself.
    package var redirect: Redirect?

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

    /// Makes a credential.
    public init(
        providerID: String,
        idToken: String? = nil,
        rawNonce: String? = nil,
        accessToken: AccessToken? = nil,
        refreshToken: String? = nil,
        secret: String? = nil
    ) {
        self.providerID = providerID
        self.idToken = idToken
        self.rawNonce = rawNonce
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.secret = secret
    }
}

extension OAuthCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The provider id alone.
    public var description: String { "OAuthCredential(\(providerID))" }
    /// The provider id alone.
    public var debugDescription: String { description }
    /// The provider id alone: the rest is secret.
    public var customMirror: Mirror { Mirror(self, children: ["providerID": providerID]) }
}

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
