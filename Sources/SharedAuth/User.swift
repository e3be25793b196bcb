public import FoundationEssentials
internal import Synchronization

/// A signed-in user (Firebase: `User`).
///
/// A user is an object with an identity: `==` asks whether two references are the same object, and every read of a slot
/// makes a new one. What a peer changes about the current user (a refreshed token, a new name) appears in the object
/// that `currentUser` already is. Thread-safe; printed, a user shows the uid alone.
public final class User: Sendable {
    private let content: Mutex<Content>
    private let owner: Mutex<Owner>

    /// Whose user this is, and which slot it was read from or saved to.
    private struct Owner {
        weak var auth: Auth?
        var slot: Slot?
    }

    private struct Content {
        var account: Account
        /// What the slot had in the place of tokens that could not be saved there yet.
        var superseded: UserTokens?
    }

    init(_ account: Account, auth: Auth?, slot: Slot?) {
        content = Mutex(Content(account: account))
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
    var snapshot: Account { content.withLock { $0.account } }

    /// The stored tokens that the user's own have taken the place of, as long as these could not be saved.
    var supersededTokens: UserTokens? { content.withLock { $0.superseded } }

    func replace(with account: Account) { content.withLock { $0.account = account } }

    /// Takes over what a slot has of the user, but for tokens that are older than the user's own, which could not be saved.
    func takeOver(_ stored: Account) {
        content.withLock { content in
            let own = content.account.tokens
            let isBehind = stored.tokens == content.superseded
            content.account = stored
            if isBehind { content.account.tokens = own } else { content.superseded = nil }
        }
    }

    /// Gives the user new tokens, which are still to be saved in the place of others.
    func renew(_ tokens: UserTokens, superseding stored: UserTokens) {
        content.withLock { content in
            content.account.tokens = tokens
            content.superseded = stored
        }
    }

    var auth: Auth? { owner.withLock { $0.auth } }

    var slot: Slot? { owner.withLock { $0.slot } }

    /// Makes the user this `Auth`'s, as it has just read or saved it.
    func attach(to auth: Auth, in slot: Slot) {
        owner.withLock { $0 = Owner(auth: auth, slot: slot) }
    }
}
