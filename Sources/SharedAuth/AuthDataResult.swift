/// What a sign-in gives: the user, and what the identity provider adds (Firebase: `AuthDataResult`).
public struct AuthDataResult: Sendable {
    /// The user who is now current.
    public let user: User
    /// What the provider says of the sign-in; nil when no provider was asked, because an anonymous user was current.
    public let additionalUserInfo: AdditionalUserInfo?
}
