public import DesktopSupport
public import FoundationEssentials
internal import Synchronization

/// A signed-in user (Firebase: `User`).
///
/// A user is an object with identity: `==` compares references. While the app keeps a reference to it, `currentUser`
/// returns the same object for the same account, also after a failure, a move to another slot, or a reload. Changes
/// that another process makes to the current user, such as a refreshed token or a new name, appear in the object.
/// `getStoredUser` and `storedUsers` create new objects.
///
/// `User` is thread-safe. Its description shows the uid alone.
public final class User: Sendable {
    private let account: Mutex<Account>
    private let owner: Mutex<Owner>

    /// The user's `Auth`, and the slot that the user was read from or saved to.
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
    /// Always `SharedAuth`, where Firebase has `Firebase`. ``providerData`` lists the sign-in providers.
    public var providerID: String { "SharedAuth" }
    /// The e-mail address.
    public var email: String? { snapshot.profile.email }
    /// The name to display.
    public var displayName: String? { snapshot.profile.displayName }
    /// The phone number.
    public var phoneNumber: String? { snapshot.profile.phoneNumber }
    /// The URL of the user's photo.
    public var photoURL: URL? { snapshot.profile.photoURL }
    /// Indicates whether the user is anonymous: signed in without a credential.
    public var isAnonymous: Bool { snapshot.profile.isAnonymous }
    /// Indicates whether the e-mail address is verified.
    public var isEmailVerified: Bool { snapshot.profile.isEmailVerified }
    /// Returns ``isAnonymous``.
    public func anonymous() -> Bool { isAnonymous }
    /// Returns ``isEmailVerified``.
    public func emailVerified() -> Bool { isEmailVerified }
    /// The accounts at sign-in providers that are linked to the user.
    public var providerData: [UserInfo] { snapshot.profile.providerData }
    /// The id of the tenant that the user belongs to.
    public var tenantID: String? { snapshot.profile.tenantID }
    /// The token that is exchanged for new tokens; nil if the session cannot be refreshed.
    public var refreshToken: String? { snapshot.tokens.refreshToken }
    /// The dates of the account's creation and of its last sign-in.
    public var metadata: UserMetadata {
        let profile = snapshot.profile
        return UserMetadata(creationDate: profile.creationDate, lastSignInDate: profile.lastSignInDate)
    }
}

extension User: Hashable {
    /// Returns whether both references are the same object.
    public static func == (one: User, other: User) -> Bool { one === other }
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension User: Redacted {
    /// The uid alone.
    public var description: String { "User(\(uid))" }
    /// The uid alone: the rest is personal or secret.
    public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}

extension User {
    var snapshot: Account { account.withLock { $0 } }

    /// The id of the user's account.
    package var id: AccountID { account.withLock { $0.id } }

    func replace(with account: Account) { self.account.withLock { $0 = account } }

    /// Sets the issuer of an account whose own is unknown.
    func setIssuer(_ issuer: String?) { account.withLock { $0 = $0.named(by: issuer) } }

    func replaceTokens(with tokens: UserTokens) { account.withLock { $0.tokens = tokens } }

    func replaceProfile(with profile: UserProfile) { account.withLock { $0.profile = profile } }

    var auth: Auth? { owner.withLock { $0.auth } }

    var slot: Slot? { owner.withLock { $0.slot } }

    /// Attaches the user to the `Auth` that has just read or saved it, and to its slot, if that is known.
    func attach(to auth: Auth, in slot: Slot?) {
        owner.withLock { $0 = Owner(auth: auth, slot: slot) }
    }
}

extension User {
    /// Returns a valid ID token, refreshing it if necessary.
    ///
    /// Returns the present token if it is valid for at least five more minutes, or for half of its lifetime if that is
    /// shorter; otherwise requests a new one. In a session without a refresh token, returns the present token until it
    /// expires. Of all processes that share the user, one refreshes the token and the others adopt the result.
    ///
    /// A refresh that is refused for a reason that does not pass by itself is tried again after a minute, in whatever
    /// process; until then, the present token is returned as long as it lasts, and then the same error is thrown. If a
    /// refresh brings no ID token, the same applies: see ``sessionFailure`` for sessions that have ended so.
    ///
    /// If the identity provider no longer accepts the user (`userTokenExpired`, `invalidUserToken`, `userNotFound`,
    /// `userDisabled`), the user is signed out, unless another process has newer tokens.
    ///
    /// - Parameter forcingRefresh: True to request a new token even if the present one is valid. The request is sent
    ///   after the call begins; if another process is refreshing the token at that moment, its result counts as new.
    /// - Throws: An error of the identity provider; a keyring error if the new token cannot be saved, in which case it
    ///   is kept in memory; `operationNotAllowed` if the session has no ID token: see
    ///   `accessToken(forScopes:forcingRefresh:)`.
    public func getIDToken(forcingRefresh: Bool = false) async throws(AuthError) -> String {
        // A refresh would not add an ID token to a session that never had one. For a user on a fleet, the call throws.
        if snapshot.tokens.idToken != nil || snapshot.tokens.isIncomplete || snapshot.isOnFleet,
            let idToken = try await freshTokens(forcing: forcingRefresh).idToken
        {
            return idToken
        }
        throw AuthError(
            .operationNotAllowed,
            snapshot.tokens.isIncomplete
                ? "The session of \(uid) has no valid ID token: the identity provider issued none at the last refresh."
                : "The session of \(uid) has no ID token: the identity provider issues none.",
            remedy: "Use accessToken(forScopes:forcingRefresh:)."
        )
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func getIDToken(
        forcingRefresh: Bool = false,
        @_inheritActorContext completion: (@isolated(any) @Sendable (String?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in try await user.getIDToken(forcingRefresh: forcingRefresh)
        }
    }

    /// Returns a valid ID token and its claims.
    ///
    /// - Throws: The errors of `getIDToken(forcingRefresh:)`; `malformedJWT` if the token cannot be read.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws(AuthError) -> AuthTokenResult {
        try AuthTokenResult(idToken: try await getIDToken(forcingRefresh: forcingRefresh))
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func getIDTokenResult(
        forcingRefresh: Bool = false,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthTokenResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { user async throws(AuthError) in
            try await user.getIDTokenResult(forcingRefresh: forcingRefresh)
        }
    }

    /// Calls `getIDToken(forcingRefresh:)`. Firebase uses this name for the form with a completion handler.
    public func getIDTokenForcingRefresh(_ forceRefresh: Bool) async throws(AuthError) -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func getIDTokenForcingRefresh(
        _ forceRefresh: Bool,
        @_inheritActorContext completion: (@isolated(any) @Sendable (String?, AuthError?) -> Void)?
    ) {
        getIDToken(forcingRefresh: forceRefresh, completion: completion)
    }

    /// Calls `getIDToken(forcingRefresh:)`. This is Firebase's older name.
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws(AuthError) -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }
}

extension User {
    /// The present tokens if `getIDToken()` would return the ID token without a refresh; otherwise nil. Never waits.
    package var validTokens: UserTokens? {
        guard let auth else { return nil }
        let tokens = snapshot.tokens
        return auth.engine.tokenRules.isValid(tokens) ? tokens : nil
    }

    /// Returns the tokens, refreshed as by `getIDToken(forcingRefresh:)`, with the expiration date of the ID token.
    package func tokens(forcingRefresh: Bool) async throws(AuthError) -> UserTokens {
        try await freshTokens(forcing: forcingRefresh)
    }

    /// The issuer of the account; nil if it is not known.
    package var knownIssuer: String? { snapshot.knownIssuer }
}

extension User {
    /// Fetches the profile from the identity provider, and saves it for every app of the slot.
    ///
    /// Listeners are not called, in any app. In other processes, the new profile appears in `currentUser`
    /// automatically.
    ///
    /// - Throws: The errors of `getIDToken(forcingRefresh:)`.
    public func reload() async throws(AuthError) {
        try await accountUpdate().reload()
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func reload(@_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?) {
        complete(completion) { user async throws(AuthError) in try await user.reload() }
    }

    /// Deletes the account at the identity provider, and signs the user out of the slot.
    ///
    /// - Throws: An error of the identity provider; the user stays signed in then.
    public func delete() async throws(AuthError) {
        try await accountUpdate().delete()
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func delete(@_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?) {
        complete(completion) { user async throws(AuthError) in try await user.delete() }
    }

    /// Creates a request to change the display name or the photo.
    public func createProfileChangeRequest() -> UserProfileChangeRequest {
        UserProfileChangeRequest(user: self)
    }
}

extension User {
    /// Returns the calls of the identity provider that change this user's account.
    func accountUpdate() throws(AuthError) -> AccountUpdate { AccountUpdate(user: self, engine: try owningEngine()) }

    func freshTokens(forcing: Bool, scopes: Set<String>? = nil) async throws(AuthError) -> UserTokens {
        try await owningEngine().tokens(of: self, forcing: forcing, scopes: scopes)
    }
}
