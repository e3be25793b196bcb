public import FoundationEssentials
internal import Synchronization

/// A signed-in user (Firebase: `User`).
///
/// A user is an object with an identity: `==` asks whether two references are the same object. While the app keeps it, one account is
/// one object as `currentUser`: through a failure, a move to another slot and a reload. What another process changes about the current
/// user (a refreshed token, a new name) appears in it. `getStoredUser` and `storedUsers` make new objects. Thread-safe; printed, a user
/// shows the uid alone.
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
    /// Returns ``isAnonymous``.
    public func anonymous() -> Bool { isAnonymous }
    /// Returns ``isEmailVerified``.
    public func emailVerified() -> Bool { isEmailVerified }
    /// The accounts elsewhere that the user signs in with.
    public var providerData: [UserInfo] { snapshot.profile.providerData }
    /// The tenant the user belongs to.
    public var tenantID: String? { snapshot.profile.tenantID }
    /// The token that is exchanged for new tokens; nil if the session cannot be refreshed.
    public var refreshToken: String? { snapshot.tokens.refreshToken }
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

    /// Which account this is the user of.
    package var id: AccountID { account.withLock { $0.id } }

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

extension User {
    /// A valid ID token: the present one while it lasts five minutes more, or half of its life where that is shorter; else a
    /// new one. In a session without a refresh token, the present one until it expires.
    ///
    /// Among all processes that share the user, one asks the identity provider and the others adopt the result.
    /// - Throws: what the identity provider says; `keyringLocked` and the like when the new token could not be saved,
    ///   in which case it stays in memory. When the identity provider no longer accepts the user (`userTokenExpired`,
    ///   `invalidUserToken`, `userNotFound`, `userDisabled`), the user is signed out, unless another process has newer tokens.
    ///   `operationNotAllowed` for a session without an ID token: see `accessToken(forScopes:forcingRefresh:)`.
    public func getIDToken(forcingRefresh: Bool = false) async throws(AuthError) -> String {
        // A session that has none is not refreshed for one.
        if snapshot.tokens.idToken != nil, let idToken = try await freshTokens(forcing: forcingRefresh).idToken {
            return idToken
        }
        throw AuthError(
            .operationNotAllowed,
            "The session of \(uid) has no ID token: the identity provider issues none.",
            remedy: "Use accessToken(forScopes:forcingRefresh:)."
        )
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func getIDToken(
        forcingRefresh: Bool = false,
        @_inheritActorContext completion: (@isolated(any) @Sendable (String?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in try await user.getIDToken(forcingRefresh: forcingRefresh)
        }
    }

    /// A valid ID token, and its claims.
    ///
    /// - Throws: as `getIDToken(forcingRefresh:)`; `malformedJWT` if the token cannot be read.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws(AuthError) -> AuthTokenResult {
        try AuthTokenResult(idToken: try await getIDToken(forcingRefresh: forcingRefresh))
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func getIDTokenResult(
        forcingRefresh: Bool = false,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthTokenResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.getIDTokenResult(forcingRefresh: forcingRefresh)
        }
    }

    /// As `getIDToken(forcingRefresh:)`, by Firebase's name of the form with a completion handler.
    public func getIDTokenForcingRefresh(_ forceRefresh: Bool) async throws(AuthError) -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func getIDTokenForcingRefresh(
        _ forceRefresh: Bool,
        @_inheritActorContext completion: (@isolated(any) @Sendable (String?, AuthError?) -> Void)?
    ) {
        getIDToken(forcingRefresh: forceRefresh, completion: completion)
    }

    /// As `getIDToken(forcingRefresh:)`, by Firebase's older name.
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws(AuthError) -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }
}

extension User {
    /// The present tokens, if `getIDToken()` would hand the ID token out as it is. Waits for nothing.
    package var validTokens: UserTokens? {
        guard let auth else { return nil }
        let tokens = snapshot.tokens
        return auth.engine.tokenRules.isValid(tokens) ? tokens : nil
    }

    /// As `getIDToken(forcingRefresh:)`, with when the ID token expires.
    package func tokens(forcingRefresh: Bool) async throws(AuthError) -> UserTokens {
        try await freshTokens(forcing: forcingRefresh)
    }

    /// Who issued the account; nil if that is not known.
    package var knownIssuer: String? { snapshot.knownIssuer }
}

extension User {
    /// Fetches the profile from the identity provider, and saves it for every app of the slot.
    ///
    /// No listener is called for it, in any app; `currentUser` of other processes shows the new profile by itself.
    /// - Throws: as `getIDToken(forcingRefresh:)`.
    public func reload() async throws(AuthError) {
        try await accountUpdate().reload()
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func reload(@_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?) {
        complete(completion) { user async throws(AuthError) in try await user.reload() }
    }

    /// Deletes the account at the identity provider, and signs the user out of the slot.
    ///
    /// - Throws: what the identity provider says; then the user stays signed in.
    public func delete() async throws(AuthError) {
        try await accountUpdate().delete()
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func delete(@_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?) {
        complete(completion) { user async throws(AuthError) in try await user.delete() }
    }

    /// Begins a change of the display name or the photo.
    public func createProfileChangeRequest() -> UserProfileChangeRequest {
        UserProfileChangeRequest(user: self)
    }
}

extension User {
    /// The calls of the identity provider that change this user's account.
    func accountUpdate() throws(AuthError) -> AccountUpdate { AccountUpdate(user: self, engine: try owningEngine()) }

    func freshTokens(forcing: Bool, scopes: Set<String>? = nil) async throws(AuthError) -> UserTokens {
        try await owningEngine().tokens(of: self, forcing: forcing, scopes: scopes)
    }
}
