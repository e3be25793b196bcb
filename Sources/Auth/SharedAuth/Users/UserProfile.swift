public import DesktopSupport
public import FoundationEssentials
internal import Synchronization

/// A user's profile, as the identity provider returns it. Printing it shows only the uid.
public struct UserProfile: Sendable, Hashable, Codable {
    /// The user's ID, unique within the project.
    public var uid: String
    /// Indicates whether the user is anonymous: has no sign-in method.
    public var isAnonymous: Bool
    /// The e-mail address.
    public var email: String?
    /// Indicates whether the e-mail address is verified.
    public var isEmailVerified: Bool
    /// The display name.
    public var displayName: String?
    /// The phone number.
    public var phoneNumber: String?
    /// The URL of the photo.
    public var photoURL: URL?
    /// The ID of the tenant that the user belongs to.
    public var tenantID: String?
    /// The user's information at each sign-in provider.
    public var providerData: [UserInfo]
    /// The date on which the account was created.
    public var creationDate: Date?
    /// The date of the last sign-in.
    public var lastSignInDate: Date?
    /// The enrolled second factors; nil if the identity provider does not return them.
    public var enrolledFactors: [MultiFactorInfo]?

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - uid: The user's ID, unique within the project.
    ///   - isAnonymous: Whether the user is anonymous.
    ///   - email: The e-mail address.
    ///   - isEmailVerified: Whether the e-mail address is verified.
    ///   - displayName: The display name.
    ///   - phoneNumber: The phone number.
    ///   - photoURL: The URL of the photo.
    ///   - tenantID: The ID of the tenant that the user belongs to.
    ///   - providerData: The user's information at each sign-in provider.
    ///   - creationDate: The date on which the account was created.
    ///   - lastSignInDate: The date of the last sign-in.
    ///   - enrolledFactors: The enrolled second factors; nil if they are not known.
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
        lastSignInDate: Date? = nil,
        enrolledFactors: [MultiFactorInfo]? = nil
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
        self.enrolledFactors = enrolledFactors
    }
}

extension UserProfile {
    /// Returns the profile, with missing dates and second factors taken from an earlier profile.
    func datedAs(_ earlier: UserProfile) -> UserProfile {
        var profile = self
        profile.enrolledFactors = enrolledFactors ?? earlier.enrolledFactors
        profile.creationDate = creationDate ?? earlier.creationDate
        profile.lastSignInDate = lastSignInDate ?? earlier.lastSignInDate
        return profile
    }
}

extension UserProfile: Redacted {
    /// Only the uid.
    public var description: String { "UserProfile(\(uid))" }
    /// Only the uid: addresses and names are personal.
    public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}

/// A change of a user's profile, which an ``AccountProvider`` makes.
///
/// ```swift
/// profile.displayName = change.displayName.applied(to: profile.displayName)
/// ```
public struct UserProfileChange: Sendable, Hashable {
    /// A change of one field. No cases will be added.
    @frozen
    public enum Field<Value: Sendable & Hashable>: Sendable, Hashable {
        /// Keeps the field's value.
        case keep
        /// Removes the field's value.
        case clear
        /// Sets the field to a value.
        case set(Value)

        /// Creates a change to a value; nil clears the field.
        public init(_ value: Value?) { self = value.map { .set($0) } ?? .clear }

        /// Returns the field's value after the change.
        public func applied(to value: Value?) -> Value? {
            switch self {
            case .keep: value
            case .clear: nil
            case .set(let new): new
            }
        }
    }

    /// The change of the display name.
    public var displayName: Field<String>
    /// The change of the photo's URL.
    public var photoURL: Field<URL>

    /// Creates a change. Fields that are not passed keep their values.
    ///
    /// - Parameters:
    ///   - displayName: The change of the display name.
    ///   - photoURL: The change of the photo's URL.
    public init(displayName: Field<String> = .keep, photoURL: Field<URL> = .keep) {
        self.displayName = displayName
        self.photoURL = photoURL
    }
}

/// Collects changes of a user's profile, and makes them in one step (Firebase: `UserProfileChangeRequest`).
public final class UserProfileChangeRequest: Sendable {
    private let user: User
    private let change = Mutex(UserProfileChange())

    init(user: User) {
        self.user = user
    }

    /// The new display name; nil clears it.
    public var displayName: String? {
        get { change.withLock { $0.displayName }.applied(to: user.displayName) }
        set { change.withLock { $0.displayName = .init(newValue) } }
    }

    /// The URL of the new photo; nil clears it.
    public var photoURL: URL? {
        get { change.withLock { $0.photoURL }.applied(to: user.photoURL) }
        set { change.withLock { $0.photoURL = .init(newValue) } }
    }

    /// Makes the changes at the identity provider, and saves the new profile for all apps of the slot.
    ///
    /// - Throws: The errors of `User.reload()`.
    public func commitChanges() async throws(AuthError) {
        try await user.accountUpdate().commit(change.withLock { $0 })
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func commitChanges(@_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?) {
        user.complete(completion) { [self] _ async throws(AuthError) in try await commitChanges() }
    }
}
