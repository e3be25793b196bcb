public import FoundationEssentials
internal import Synchronization

/// A signed-in user (Firebase: `User`).
///
/// A user is an object with an identity: `==` asks whether two references are the same object, and every read of a slot
/// makes a new one. What a peer changes about the current user (a refreshed token, a new name) appears in the object
/// that `currentUser` already is. Thread-safe; printed, a user shows the uid alone.
public final class User: Sendable {
    private let account: Mutex<Account>
    private let owner: Mutex<Owner>

    /// Whose user this is, and which slot it was read from or saved to.
    private struct Owner {
        weak var auth: Auth?
        var slot: Slot?
    }

    init(_ account: Account, auth: Auth?, slot: Slot?) {
        self.account = Mutex(account)
        owner = Mutex(Owner(auth: auth, slot: slot))
    }

    /// The user's id, unique within the project.
    public var uid: String { snapshot.uid }
    /// `SharedAuth`, as Firebase's users have `Firebase`; how a user signs in is in `providerData`.
    public var providerID: String { "SharedAuth" }
    /// The e-mail address.
    public var email: String? { snapshot.profile.email }
    /// The name shown to people.
    public var displayName: String? { snapshot.profile.displayName }
    /// The phone number.
    public var phoneNumber: String? { snapshot.profile.phoneNumber }
    /// Where the photo is.
    public var photoURL: URL? { snapshot.profile.photoURL }
    /// Whether the user has no credential of their own.
    public var isAnonymous: Bool { snapshot.profile.isAnonymous }
    /// Whether the e-mail address was verified.
    public var isEmailVerified: Bool { snapshot.profile.isEmailVerified }
    /// The accounts elsewhere that the user signs in with.
    public var providerData: [UserInfo] { snapshot.profile.providerData }
    /// The tenant the user belongs to.
    public var tenantID: String? { snapshot.profile.tenantID }
    /// The token that is exchanged for new ID tokens.
    public var refreshToken: String { snapshot.tokens.refreshToken }
    /// When the account was created and last used.
    public var metadata: UserMetadata {
        let profile = snapshot.profile
        return UserMetadata(creationDate: profile.creationDate, lastSignInDate: profile.lastSignInDate)
    }
}

extension User: Hashable {
    /// Whether both are the same object.
    public static func == (one: User, other: User) -> Bool { one === other }
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension User: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The uid alone.
    public var description: String { "User(\(uid))" }
    /// The uid alone.
    public var debugDescription: String { description }
    /// The uid alone: the rest is personal or secret.
    public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}

extension User {
    var snapshot: Account { account.withLock { $0 } }

    func replace(with account: Account) { self.account.withLock { $0 = account } }

    func replaceTokens(with tokens: UserTokens) { account.withLock { $0.tokens = tokens } }

    func replaceProfile(with profile: UserProfile) { account.withLock { $0.profile = profile } }

    var auth: Auth? { owner.withLock { $0.auth } }

    var slot: Slot? { owner.withLock { $0.slot } }

    /// Makes the user this `Auth`'s, as it has just read or saved it.
    func attach(to auth: Auth, in slot: Slot) {
        owner.withLock { $0 = Owner(auth: auth, slot: slot) }
    }
}
