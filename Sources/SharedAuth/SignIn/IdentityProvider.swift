/// Signs users in, issues their tokens, and looks after their accounts.
///
/// `LocalIdentity` has one that needs no network; an app can bring its own. Methods may be called at once from several
/// tasks. They report failures with Firebase's codes: `userNotFound`, `wrongPassword`, `emailAlreadyInUse`,
/// `userTokenExpired`, `invalidUserToken`, `userDisabled`, `networkError`, …; the four about the user's token sign the
/// user out, every other one leaves the session as it is.
public protocol IdentityProvider: Sendable {
    /// Who issues the accounts, as the `iss` of the ID tokens says. An account is refreshed, reloaded and deleted by its own
    /// issuer's provider only. Unless it is given, the provider is the app's own.
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
    /// The app's own: providers that do not say who issues their accounts are one and the same issuer.
    public var issuer: String { Account.ownIssuer }
}
