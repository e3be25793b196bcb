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
