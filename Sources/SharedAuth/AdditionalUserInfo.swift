/// What an identity provider says of a sign-in (Firebase: `AdditionalUserInfo`).
public struct AdditionalUserInfo: Sendable, Hashable {
    /// The provider of the credential, e.g. `password`; nil for an anonymous user.
    public let providerID: String?
    /// Whether the account was created by this sign-in.
    public let isNewUser: Bool
}
