public import FoundationEssentials

/// An account elsewhere that a user signs in with (Firebase: `UserInfo`); printed, it shows the provider id alone.
public struct UserInfo: Sendable, Hashable, Codable {
    /// Where the account is, e.g. `password`.
    public let providerID: String
    /// The user's id there.
    public let uid: String
    /// The name shown to people.
    public let displayName: String?
    /// The e-mail address.
    public let email: String?
    /// The phone number.
    public let phoneNumber: String?
    /// Where the photo is.
    public let photoURL: URL?

    /// Makes the description of an account.
    public init(
        providerID: String,
        uid: String,
        displayName: String? = nil,
        email: String? = nil,
        phoneNumber: String? = nil,
        photoURL: URL? = nil
    ) {
        self.providerID = providerID
        self.uid = uid
        self.displayName = displayName
        self.email = email
        self.phoneNumber = phoneNumber
        self.photoURL = photoURL
    }
}

extension UserInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The provider id alone.
    public var description: String { "UserInfo(\(providerID))" }
    /// The provider id alone.
    public var debugDescription: String { description }
    /// The provider id alone: the rest is personal.
    public var customMirror: Mirror { Mirror(self, children: ["providerID": providerID]) }
}

/// The dates of a user's account: its creation and its last sign-in (Firebase: `UserMetadata`).
public struct UserMetadata: Sendable, Hashable {
    /// The date on which the account was created.
    public let creationDate: Date?
    /// The date of the last sign-in.
    public let lastSignInDate: Date?
}
