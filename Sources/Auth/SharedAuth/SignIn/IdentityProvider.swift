public import DesktopSupport
public import FoundationEssentials

/// Signs users in and issues their tokens.
///
/// `LocalIdentity` provides one that needs no network, and an app can implement another. An identity provider can adopt
/// more protocols: ``AccountProvider`` to manage accounts, ``EmailActions`` to send e-mails, ``BrowserActions`` to sign
/// users in at other services in the browser, and ``SecondFactors``.
///
/// Methods may be called concurrently. They throw ``AuthError`` with Firebase's codes, such as `wrongPassword`,
/// `emailAlreadyInUse` or `networkError`. If a call with the user's tokens throws `userTokenExpired`,
/// `invalidUserToken`, `userNotFound` or `userDisabled`, the user is signed out; every other error leaves the session
/// unchanged.
public protocol IdentityProvider: Sendable {
    /// The issuer of the accounts, equal to the `iss` claim of their ID tokens.
    ///
    /// Only the identity provider of the same issuer refreshes, reloads and deletes an account. The default is a fixed
    /// name that all identity providers without an issuer share.
    var issuer: String { get }

    /// Creates an anonymous user.
    ///
    /// - Throws: `operationNotAllowed`, in the default implementation.
    func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant

    /// Signs a user in with a credential, such as an e-mail address and a password.
    ///
    /// - Throws: `userNotFound`, `wrongPassword`, `invalidCredential` or `userDisabled`; `operationNotAllowed` for a
    ///   kind of credential that the identity provider does not support.
    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant

    /// Creates a user with an e-mail address and a password, and signs the user in.
    ///
    /// - Throws: `emailAlreadyInUse`, `invalidEmail` or `weakPassword`; `operationNotAllowed`, in the default
    ///   implementation.
    func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant

    /// Exchanges the refresh token for new tokens.
    ///
    /// The result replaces the current tokens, except access tokens for other scopes, which are kept until they expire.
    /// If the server returns no new refresh token, the current one stays valid: include it in the result. If the
    /// exchange succeeds but part of the response must be rejected, throw an error with
    /// ``AuthErrorDetails/tokens(_:)``, so that a single-use refresh token is not lost.
    ///
    /// - Parameters:
    ///   - tokens: The current tokens, with a refresh token.
    ///   - scopes: The scopes of the requested access token; if empty, those that were granted at the sign-in.
    /// - Throws: `userTokenExpired`, `invalidUserToken`, `userDisabled` or `userNotFound` if the session has ended; for
    ///   some scopes, the call is then made once more without any, and ends the session only if it throws one of these,
    ///   too. `requiresRecentLogin`, `operationNotAllowed`, `invalidCredential` or `invalidClientID` if the server
    ///   refuses the refresh and would again: no process asks for the same within a minute.
    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens

    /// Returns the current profile of the account that the tokens belong to.
    ///
    /// - Throws: The errors of ``refresh(_:scopes:)``.
    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile

    /// Indicates whether ``revoke(_:)`` ends sessions. The default is true. If false, a sign-out does not check whether
    /// another slot still uses the session.
    var revokesSessions: Bool { get }

    /// Ends the session of these tokens, which cannot be refreshed afterwards.
    ///
    /// A session that the server does not know counts as ended and is not an error. The default implementation does
    /// nothing.
    ///
    /// - Throws: `networkError`, or another error that prevents the server from ending the session; the user is signed
    ///   out anyway.
    func revoke(_ tokens: UserTokens) async throws(AuthError)
}

extension IdentityProvider {
    /// A fixed name: all identity providers without an issuer count as the same issuer.
    public var issuer: String { Account.ownIssuer }

    /// Throws `operationNotAllowed`.
    public func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        throw .notOffered("anonymous users", by: issuer)
    }

    /// Throws `operationNotAllowed`.
    public func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant { throw .notOffered("new accounts", by: issuer) }

    /// True.
    public var revokesSessions: Bool { true }

    /// Does nothing.
    public func revoke(_ tokens: UserTokens) async throws(AuthError) {}
}

/// The result of a sign-in at an identity provider.
public struct IdentityGrant: Sendable {
    /// The user's profile.
    public let profile: UserProfile
    /// The user's tokens.
    public let tokens: UserTokens
    /// Indicates whether this sign-in created the account.
    public let isNewUser: Bool
    /// Details about the user's account at the service where the user signed in; may be empty.
    public let details: Details
    /// The issuer of the account, if it is not the identity provider's own ``IdentityProvider/issuer``.
    package var issuer: String?

    /// Details about the user's account at another service, such as GitHub. Printing them shows no content.
    public struct Details: Sendable {
        /// The user name at the service.
        public var username: String?
        /// The profile that the service returned.
        public var profile: [String: JSONValue]?
        /// The credential for the app's requests to the service.
        public var credential: OAuthCredential?

        /// Creates details.
        ///
        /// - Parameters:
        ///   - username: The user name at the service.
        ///   - profile: The profile that the service returned.
        ///   - credential: The credential for the app's requests to the service.
        public init(
            username: String? = nil,
            profile: [String: JSONValue]? = nil,
            credential: OAuthCredential? = nil
        ) {
            self.username = username
            self.profile = profile
            self.credential = credential
        }
    }

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - profile: The user's profile.
    ///   - tokens: The user's tokens.
    ///   - isNewUser: Whether this sign-in created the account.
    ///   - details: Details about the user's account at the service where the user signed in.
    public init(profile: UserProfile, tokens: UserTokens, isNewUser: Bool, details: Details = Details()) {
        self.profile = profile
        self.tokens = tokens
        self.isNewUser = isNewUser
        self.details = details
    }
}

extension IdentityGrant.Details: Redacted {
    /// No content.
    public var description: String { "IdentityGrant.Details" }
}

extension AuthError {
    /// Returns the error for an operation that an identity provider does not support.
    package static func notOffered(_ what: String, by issuer: String) -> AuthError {
        AuthError(
            .operationNotAllowed,
            "The identity provider \(issuer) does not offer this: \(what).",
            remedy: "Use an identity provider that offers it."
        )
    }
}

/// Creates the identity provider of an app, once the app's store is known.
///
/// `LocalIdentity` adds `IdentityProviderFactory.local`.
public struct IdentityProviderFactory: Sendable {
    /// The store, project and clock of the app, for use by its identity provider.
    public struct Context: Sendable {
        /// The store of the app's users. An identity provider stores its own records in the scope `project`.
        public let store: any RecordStore
        /// The project (Firebase: the API key).
        public let project: String
        /// The time limit for a call of the store.
        public let timeout: Duration
        /// The clock.
        public let now: @Sendable () -> Date
    }

    /// Creates the identity provider.
    public let make: @Sendable (Context) -> any IdentityProvider
    /// Creates the identity provider of another issuer, for accounts of several issuers; returns nil for an unknown
    /// issuer.
    package var makeOther: (@Sendable (_ issuer: String) -> (any IdentityProvider)?)?

    /// Creates a factory from a function that creates an identity provider.
    public init(_ make: @escaping @Sendable (Context) -> any IdentityProvider) {
        self.make = make
    }
}
