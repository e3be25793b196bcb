public import DesktopSupport

/// The result of a sign-in (Firebase: `AuthDataResult`).
public struct AuthDataResult: Sendable {
    /// The user, who is now current.
    public let user: User
    /// The identity provider's information about the sign-in; nil if an anonymous user was already current, so that no
    /// request was made.
    public let additionalUserInfo: AdditionalUserInfo?
    /// The credential from the service where the user signed in, if the identity provider returns it.
    public let credential: OAuthCredential?
}

extension AuthDataResult {
    /// Creates a result from the identity provider's grant for a user.
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

/// An identity provider's information about a sign-in (Firebase: `AdditionalUserInfo`). Printing it shows only the kind
/// of credential and whether the user is new.
public struct AdditionalUserInfo: Sendable, Hashable {
    /// The kind of credential, e.g. `password`; empty for an anonymous user.
    public let providerID: String
    /// Indicates whether this sign-in created the account.
    public let isNewUser: Bool
    /// The user name at the service where the user signed in, if the identity provider returns it.
    public let username: String?
    /// The profile from the service where the user signed in, as JSON, if the identity provider returns it.
    public let jsonProfile: [String: JSONValue]?

    /// The profile from the service where the user signed in, in standard Swift types: `profile?["login"] as? String`.
    /// See ``JSONValue/plain``.
    public var profile: [String: any Sendable]? { jsonProfile?.mapValues(\.plain) }

    /// Returns ``isNewUser``.
    public func newUser() -> Bool { isNewUser }
}

extension AdditionalUserInfo: Redacted {
    /// The kind of credential, and whether the user is new.
    public var description: String {
        "AdditionalUserInfo(\(providerID.isEmpty ? "anonymous" : providerID), new: \(isNewUser))"
    }
    /// The kind of credential, and whether the user is new: the rest is personal.
    public var customMirror: Mirror {
        Mirror(self, children: ["providerID": providerID, "isNewUser": isNewUser])
    }
}
