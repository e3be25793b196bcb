public import FoundationEssentials

/// Who a user is, as the identity provider says; printed, it shows the uid alone.
public struct UserProfile: Sendable, Hashable, Codable {
    /// The user's id, unique within the project.
    public var uid: String
    /// Whether the user has no credential of their own.
    public var isAnonymous: Bool
    /// The e-mail address.
    public var email: String?
    /// Whether the address was verified.
    public var isEmailVerified: Bool
    /// The name shown to people.
    public var displayName: String?
    /// The phone number.
    public var phoneNumber: String?
    /// Where the photo is.
    public var photoURL: URL?
    /// The tenant the user belongs to.
    public var tenantID: String?
    /// The accounts elsewhere that the user signs in with.
    public var providerData: [UserInfo]
    /// When the account was created.
    public var creationDate: Date?
    /// When the user last signed in.
    public var lastSignInDate: Date?

    /// Makes a profile.
    public init(
        uid: String,
        isAnonymous: Bool = false,
        email: String? = nil,
        isEmailVerified: Bool = false,
        displayName: String? = nil,
        phoneNumber: String? = nil,
        photoURL: URL? = nil,
        tenantID: String? = nil,
        providerData: [UserInfo] = [],
        creationDate: Date? = nil,
        lastSignInDate: Date? = nil
    ) {
        self.uid = uid
        self.isAnonymous = isAnonymous
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.displayName = displayName
        self.phoneNumber = phoneNumber
        self.photoURL = photoURL
        self.tenantID = tenantID
        self.providerData = providerData
        self.creationDate = creationDate
        self.lastSignInDate = lastSignInDate
    }
}

extension UserProfile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The uid alone.
    public var description: String { "UserProfile(\(uid))" }
    /// The uid alone.
    public var debugDescription: String { description }
    /// The uid alone: addresses and names are personal.
    public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}
