public import FoundationEssentials

/// Signs users in and issues their tokens.
///
/// `LocalIdentity` has one that needs no network; an app can bring its own. One that also manages accounts is an
/// ``AccountProvider``, one that sends e-mails about them has ``EmailActions``, one that has persons sign in elsewhere
/// ``BrowserActions``, and one that has second factors is ``SecondFactors``. Methods may be called at once from several
/// tasks. They report failures with Firebase's codes: `userNotFound`, `wrongPassword`, `emailAlreadyInUse`,
/// `userTokenExpired`, `invalidUserToken`, `userDisabled`, `networkError`, …; the four about the user's token sign the
/// user out, every other one leaves the session as it is.
public protocol IdentityProvider: Sendable {
    /// Who issues the accounts, as the `iss` of the ID tokens says. An account is refreshed, reloaded and deleted only by the
    /// identity provider of its own issuer. By default, a fixed name that all identity providers without an issuer share.
    var issuer: String { get }

    /// Creates an anonymous user. By default, throws `operationNotAllowed`.
    func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant

    /// Signs a user in with a credential, e.g. of an e-mail address and a password.
    ///
    /// - Throws: `userNotFound`, `wrongPassword`, `invalidCredential`, `userDisabled`; `operationNotAllowed` for a kind of credential
    ///   that the identity provider does not take.
    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant

    /// Creates a user with an e-mail address and a password, and signs the user in. By default, throws `operationNotAllowed`.
    ///
    /// - Throws: `emailAlreadyInUse`, `invalidEmail`, `weakPassword`.
    func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant

    /// Exchanges the refresh token for new tokens.
    ///
    /// The answer takes the place of the present tokens, but for access tokens for other scopes, which stay until they expire. If the
    /// server gives no new refresh token, the present one stays valid: return it again. If the exchange succeeded but a part of the
    /// answer has to be refused, throw an error with ``AuthErrorDetails/tokens(_:)``: a single-use refresh token must not be lost.
    /// - Parameters:
    ///   - tokens: the present ones, which have a refresh token.
    ///   - scopes: what an access token is wanted for; empty: what was granted at the sign-in.
    /// - Throws: `userTokenExpired`, `invalidUserToken`, `userDisabled` or `userNotFound` if the session is over.
    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens

    /// The account's profile as it stands, for the holder of these tokens.
    ///
    /// - Throws: as ``refresh(_:scopes:)``.
    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile

    /// Whether sessions are revoked; if not, a sign-out need not check whether another slot still uses the session. By default,
    /// true.
    var revokesSessions: Bool { get }

    /// Ends the session of these tokens, which cannot be refreshed afterwards. An unknown session counts as ended, and is no error.
    /// By default, does nothing.
    ///
    /// - Throws: `networkError`, or what else keeps the session from being ended; the user is signed out all the same.
    func revoke(_ tokens: UserTokens) async throws(AuthError)
}

extension IdentityProvider {
    /// The app's own: identity providers that do not say who issues their accounts are one and the same issuer.
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

/// What an identity provider gives when a user signs in.
public struct IdentityGrant: Sendable {
    /// Who the user is.
    public let profile: UserProfile
    /// The user's tokens.
    public let tokens: UserTokens
    /// Whether the account was created by this very sign-in.
    public let isNewUser: Bool
    /// What the identity provider adds about the user, if anything.
    public let details: Details

    /// What is known of the account elsewhere that the user signed in with; printed, it shows nothing.
    public struct Details: Sendable {
        /// The name of the account there.
        public var username: String?
        /// Everything that was said of it there.
        public var profile: [String: JSONValue]?
        /// The credential, for calls of the service there.
        public var credential: OAuthCredential?

        /// Makes details.
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

    /// Makes a grant.
    public init(profile: UserProfile, tokens: UserTokens, isNewUser: Bool, details: Details = Details()) {
        self.profile = profile
        self.tokens = tokens
        self.isNewUser = isNewUser
        self.details = details
    }
}

extension IdentityGrant.Details: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// No content.
    public var description: String { "IdentityGrant.Details" }
    /// No content.
    public var debugDescription: String { description }
    /// Nothing: all of it is personal or secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AuthError {
    /// The error for what an identity provider does not do.
    package static func notOffered(_ what: String, by issuer: String) -> AuthError {
        AuthError(
            .operationNotAllowed,
            "The identity provider \(issuer) does not offer this: \(what).",
            remedy: "Use an identity provider that does."
        )
    }
}

/// Makes the identity provider of an app, once the app's store is known.
///
/// `LocalIdentity` adds `IdentityProviderFactory.local`.
public struct IdentityProviderFactory: Sendable {
    /// What an identity provider may build on.
    public struct Context: Sendable {
        /// The store that keeps the app's users; records of the identity provider's own belong under the scope `project`.
        public let store: any RecordStore
        /// The project (Firebase: the API key).
        public let project: String
        /// How long a call of the store may take.
        public let timeout: Duration
        /// The clock.
        public let now: @Sendable () -> Date
    }

    /// Makes the identity provider.
    public let make: @Sendable (Context) -> any IdentityProvider
    /// Makes the identity provider of an account of another issuer, for a tool that acts on accounts of several; nil if it knows
    /// none of that issuer.
    package var makeOther: (@Sendable (_ issuer: String) -> (any IdentityProvider)?)?

    /// Wraps a function that makes an identity provider.
    public init(_ make: @escaping @Sendable (Context) -> any IdentityProvider) {
        self.make = make
    }
}
