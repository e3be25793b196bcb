public import FoundationEssentials
internal import Synchronization

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
    /// The second factors; nil if the identity provider does not say.
    public var enrolledFactors: [MultiFactorInfo]?

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
    /// The same, with the dates of an earlier one where it has none, and its second factors where it does not know them.
    func datedAs(_ earlier: UserProfile) -> UserProfile {
        var profile = self
        profile.enrolledFactors = enrolledFactors ?? earlier.enrolledFactors
        profile.creationDate = creationDate ?? earlier.creationDate
        profile.lastSignInDate = lastSignInDate ?? earlier.lastSignInDate
        return profile
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

/// A change of the profile, for an ``AccountProvider`` to carry out.
///
/// ```swift
/// profile.displayName = change.displayName.applied(to: profile.displayName)
/// ```
public struct UserProfileChange: Sendable, Hashable {
    /// A change of one field. These three cases are all there are.
    @frozen
    public enum Field<Value: Sendable & Hashable>: Sendable, Hashable {
        /// The field stays as it is.
        case keep
        /// The field has no value afterwards.
        case clear
        /// The field gets this value.
        case set(Value)

        /// Sets a value; nil clears the field.
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
    /// The change of the photo's address.
    public var photoURL: Field<URL>

    /// Makes a change; a field that is not named keeps its value.
    public init(displayName: Field<String> = .keep, photoURL: Field<URL> = .keep) {
        self.displayName = displayName
        self.photoURL = photoURL
    }
}

/// Collects changes of a user's profile, and commits them in one step (Firebase: `UserProfileChangeRequest`).
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

    /// The new photo; nil clears it.
    public var photoURL: URL? {
        get { change.withLock { $0.photoURL }.applied(to: user.photoURL) }
        set { change.withLock { $0.photoURL = .init(newValue) } }
    }

    /// Commits what was set, at the identity provider and for every app of the slot.
    ///
    /// - Throws: as `User.reload()`.
    public func commitChanges() async throws(AuthError) {
        try await user.accountUpdate().commit(change.withLock { $0 })
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func commitChanges(@_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?) {
        user.complete(completion) { [self] _ async throws(AuthError) in try await commitChanges() }
    }
}
