/// An identity provider that also manages accounts; each operation acts for the holder of the tokens.
///
/// An operation that is not implemented throws `operationNotAllowed`. If a change needs a recent sign-in, throw
/// `requiresRecentLogin`: the app then calls `User.reauthenticate(with:)` and repeats the change. Tokens of a session that is over
/// give the errors of ``IdentityProvider/refresh(_:scopes:)``.
public protocol AccountProvider: IdentityProvider {
    /// Changes the account's display name or photo.
    func updateProfile(_ change: UserProfileChange, for tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Changes the account's e-mail address.
    ///
    /// - Throws: `emailAlreadyInUse`, `invalidEmail`.
    func updateEmail(to email: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Changes the account's password.
    ///
    /// - Throws: `weakPassword`.
    func updatePassword(to password: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Adds a way to sign in; the account keeps its uid and is no longer anonymous.
    ///
    /// - Throws: `emailAlreadyInUse` or `credentialAlreadyInUse` for a credential that is another account's.
    func link(_ credential: AuthCredential, to tokens: UserTokens) async throws(AuthError) -> IdentityGrant

    /// Removes a way to sign in, e.g. `password`.
    ///
    /// - Throws: `noSuchProvider` if the account has no such way.
    func unlink(providerID: String, from tokens: UserTokens) async throws(AuthError) -> AccountChange

    /// Signs in to an account that exists, so that what needs a recent sign-in is allowed; creates none.
    ///
    /// - Throws: `userMismatch` for a credential that is not this account's.
    func reauthenticate(
        with credential: AuthCredential,
        for profile: UserProfile
    ) async throws(AuthError) -> IdentityGrant

    /// Deletes the account.
    func deleteAccount(for tokens: UserTokens) async throws(AuthError)
}

/// What an operation made of an account.
public struct AccountChange: Sendable {
    /// Who the user is now.
    public let profile: UserProfile
    /// The tokens that replace those of the call, which are no longer valid; nil: those stay valid. New tokens are stored before
    /// anything else. If the change gave new tokens, and a later step fails, throw an error with ``AuthErrorDetails/tokens(_:)``.
    public let tokens: UserTokens?

    /// Makes a change.
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
