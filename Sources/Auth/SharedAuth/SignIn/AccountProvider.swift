/// An identity provider that also manages accounts. Each operation acts on the account that the tokens belong to.
///
/// The default implementations throw `operationNotAllowed`. If a change needs a recent sign-in, throw
/// `requiresRecentLogin`: the app then calls `User.reauthenticate(with:)` and repeats the change. If the session has
/// ended, throw the errors of ``IdentityProvider/refresh(_:scopes:)``.
public protocol AccountProvider: IdentityProvider {
    /// Changes the account's display name or photo.
    func updateProfile(_ change: UserProfileChange, for tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Changes the account's e-mail address.
    ///
    /// - Throws: `emailAlreadyInUse` or `invalidEmail`.
    func updateEmail(to email: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Changes the account's password.
    ///
    /// - Throws: `weakPassword`.
    func updatePassword(to password: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Adds a sign-in method. The account keeps its uid and is no longer anonymous.
    ///
    /// - Throws: `emailAlreadyInUse` or `credentialAlreadyInUse` if the credential belongs to another account.
    func link(_ credential: AuthCredential, to tokens: UserTokens) async throws(AuthError) -> IdentityGrant

    /// Removes a sign-in method, e.g. `password`.
    ///
    /// - Throws: `noSuchProvider` if the account does not have this method.
    func unlink(providerID: String, from tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Signs in to an existing account again, so that operations that need a recent sign-in are allowed. Never creates
    /// an account.
    ///
    /// - Throws: `userMismatch` if the credential does not belong to this account.
    func reauthenticate(
        with credential: AuthCredential,
        for profile: UserProfile
    ) async throws(AuthError) -> IdentityGrant

    /// Deletes the account.
    func deleteAccount(for tokens: UserTokens) async throws(AuthError)
}

/// The result of an operation on an account.
public struct AccountChange: Sendable {
    /// The user's profile after the operation.
    public let profile: UserProfile
    /// The new tokens, if the tokens of the call are no longer valid; nil if those stay valid.
    ///
    /// New tokens are stored before anything else. If the server returned new tokens and a later step fails, throw an
    /// error with ``AuthErrorDetails/tokens(_:)``.
    public let tokens: UserTokens?

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - profile: The user's profile after the operation.
    ///   - tokens: The new tokens, if the tokens of the call are no longer valid.
    public init(profile: UserProfile, tokens: UserTokens? = nil) {
        self.profile = profile
        self.tokens = tokens
    }
}

extension AccountProvider {
    /// Throws `operationNotAllowed`.
    public func updateProfile(
        _ change: UserProfileChange,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange { throw .notOffered("a change of the profile", by: issuer) }

    /// Throws `operationNotAllowed`.
    public func updateEmail(to email: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        throw .notOffered("a change of the e-mail address", by: issuer)
    }

    /// Throws `operationNotAllowed`.
    public func updatePassword(to password: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        throw .notOffered("a change of the password", by: issuer)
    }

    /// Throws `operationNotAllowed`.
    public func link(_ credential: AuthCredential, to tokens: UserTokens) async throws(AuthError) -> IdentityGrant {
        throw .notOffered("another way to sign in", by: issuer)
    }

    /// Throws `operationNotAllowed`.
    public func unlink(providerID: String, from tokens: UserTokens) async throws(AuthError) -> AccountChange {
        throw .notOffered("the removal of a way to sign in", by: issuer)
    }

    /// Throws `operationNotAllowed`.
    public func reauthenticate(
        with credential: AuthCredential,
        for profile: UserProfile
    ) async throws(AuthError) -> IdentityGrant { throw .notOffered("a repeated sign-in", by: issuer) }

    /// Throws `operationNotAllowed`.
    public func deleteAccount(for tokens: UserTokens) async throws(AuthError) {
        throw .notOffered("the deletion of an account", by: issuer)
    }
}
