public import DesktopSupport
public import FoundationEssentials

/// The user's information at one sign-in provider, such as GitHub (Firebase: `UserInfo`). Printing it shows only the
/// provider ID.
public struct UserInfo: Sendable, Hashable, Codable {
    /// The ID of the provider, e.g. `password` or `github.com`.
    public let providerID: String
    /// The user's ID at the provider.
    public let uid: String
    /// The display name.
    public let displayName: String?
    /// The e-mail address.
    public let email: String?
    /// The phone number.
    public let phoneNumber: String?
    /// The URL of the photo.
    public let photoURL: URL?

    /// Creates the user's information at a sign-in provider.
    ///
    /// - Parameters:
    ///   - providerID: The ID of the provider, e.g. `password` or `github.com`.
    ///   - uid: The user's ID at the provider.
    ///   - displayName: The display name.
    ///   - email: The e-mail address.
    ///   - phoneNumber: The phone number.
    ///   - photoURL: The URL of the photo.
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

extension UserInfo: Redacted {
    /// Only the provider ID.
    public var description: String { "UserInfo(\(providerID))" }
    /// Only the provider ID: the rest is personal.
    public var customMirror: Mirror { Mirror(self, children: ["providerID": providerID]) }
}

/// The dates of a user's account: its creation and its last sign-in (Firebase: `UserMetadata`).
public struct UserMetadata: Sendable, Hashable {
    /// The date on which the account was created.
    public let creationDate: Date?
    /// The date of the last sign-in.
    public let lastSignInDate: Date?
}
