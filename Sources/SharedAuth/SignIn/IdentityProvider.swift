public import FoundationEssentials

/// Signs users in, issues their tokens, and manages their accounts.
///
/// `LocalIdentity` has one that needs no network; an app can bring its own. Methods may be called at once from several
/// tasks. They report failures with Firebase's codes: `userNotFound`, `wrongPassword`, `emailAlreadyInUse`,
/// `userTokenExpired`, `invalidUserToken`, `userDisabled`, `networkError`, …; the four about the user's token sign the
/// user out, every other one leaves the session as it is.
public protocol IdentityProvider: Sendable {
    /// Who issues the accounts, as the `iss` of the ID tokens says. An account is refreshed, reloaded and deleted by its own
    /// issuer's identity provider only. Unless it is given, the identity provider is the app's own.
    var issuer: String { get }

    /// Creates an anonymous user.
    func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant

    /// Signs a user in with a credential, e.g. of an e-mail address and a password.
    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant

    /// Creates a user of an e-mail address and a password, and signs them in.
    func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant

    /// Exchanges a refresh token for new tokens.
    func refreshTokens(_ refreshToken: String) async throws(AuthError) -> UserTokens

    /// The account's profile as it stands, for the holder of this ID token.
    func profile(idToken: String) async throws(AuthError) -> UserProfile

    /// Changes the account's display name or photo, and answers with the new profile.
    func updateProfile(idToken: String, _ change: UserProfileChange) async throws(AuthError) -> UserProfile

    /// Deletes the account.
    func deleteAccount(idToken: String) async throws(AuthError)
}

extension IdentityProvider {
    /// The app's own: identity providers that do not say who issues their accounts are one and the same issuer.
    public var issuer: String { Account.ownIssuer }
}

/// What an identity provider gives when a user signs in.
public struct IdentityGrant: Sendable {
    /// Who the user is.
    public let profile: UserProfile
    /// The user's tokens.
    public let tokens: UserTokens
    /// Whether the account was created by this very sign-in.
    public let isNewUser: Bool

    /// Makes a grant.
    public init(profile: UserProfile, tokens: UserTokens, isNewUser: Bool) {
        self.profile = profile
        self.tokens = tokens
        self.isNewUser = isNewUser
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

    /// Wraps a function that makes an identity provider.
    public init(_ make: @escaping @Sendable (Context) -> any IdentityProvider) {
        self.make = make
    }
}
