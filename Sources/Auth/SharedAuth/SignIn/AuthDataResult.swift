/// What a sign-in gives: the user, and what the identity provider adds (Firebase: `AuthDataResult`).
public struct AuthDataResult: Sendable {
    /// The user who is now current.
    public let user: User
    /// What the identity provider says of the sign-in; nil when it was not asked, because an anonymous user was current.
    public let additionalUserInfo: AdditionalUserInfo?
    /// The credential that the service issued at which the user signed in, if the identity provider passes it on.
    public let credential: OAuthCredential?
}

extension AuthDataResult {
    /// The result of a grant for a user.
    init(_ user: User, from grant: IdentityGrant, by providerID: String?) {
        self.user = user
        additionalUserInfo = AdditionalUserInfo(
            providerID: providerID ?? "",
            isNewUser: grant.isNewUser,
            username: grant.details.username,
            jsonProfile: grant.details.profile
        )
        credential = grant.details.credential
    }
}

/// What an identity provider says of a sign-in (Firebase: `AdditionalUserInfo`).
public struct AdditionalUserInfo: Sendable, Hashable {
    /// The kind of the credential, e.g. `password`; empty for an anonymous user.
    public let providerID: String
    /// Whether the account was created by this sign-in.
    public let isNewUser: Bool
    /// The name of the account that the user signed in with, if the identity provider says it.
    public let username: String?
    /// Everything that was said of that account, as JSON, if the identity provider passes it on.
    public let jsonProfile: [String: JSONValue]?

    /// Everything that was said of that account, in Swift's own types: `profile?["login"] as? String`. See ``JSONValue/plain``.
    public var profile: [String: any Sendable]? { jsonProfile?.mapValues(\.plain) }

    /// Returns ``isNewUser``.
    public func newUser() -> Bool { isNewUser }
}

extension AdditionalUserInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credential, and whether the user is new.
    public var description: String {
        "AdditionalUserInfo(\(providerID.isEmpty ? "anonymous" : providerID), new: \(isNewUser))"
    }
    /// The kind of the credential, and whether the user is new.
    public var debugDescription: String { description }
    /// The same: the rest is personal.
    public var customMirror: Mirror {
        Mirror(self, children: ["providerID": providerID, "isNewUser": isNewUser])
    }
}
