/// Says what kind of failure an `AuthError` is.
///
/// Codes that Firebase Authentication has too carry its numbers (17000 to 18000); SharedAuth's own start at 19001.
/// The set can grow.
public struct AuthErrorCode: RawRepresentable, Sendable, Hashable {
    /// The number, as Firebase prints it for the codes it shares.
    public let rawValue: Int

    /// The code of a number; nil when no code has that number.
    public init?(rawValue: Int) {
        self.rawValue = rawValue
        guard Self.names[self] != nil else { return nil }
    }

    private init(_ number: Int) { rawValue = number }

    /// Every code there is, and its name.
    private static let names: [AuthErrorCode: String] = [
        .invalidCustomToken: "invalidCustomToken",
        .invalidCredential: "invalidCredential",
        .userDisabled: "userDisabled",
        .operationNotAllowed: "operationNotAllowed",
        .emailAlreadyInUse: "emailAlreadyInUse",
        .invalidEmail: "invalidEmail",
        .wrongPassword: "wrongPassword",
        .tooManyRequests: "tooManyRequests",
        .userNotFound: "userNotFound",
        .accountExistsWithDifferentCredential: "accountExistsWithDifferentCredential",
        .requiresRecentLogin: "requiresRecentLogin",
        .providerAlreadyLinked: "providerAlreadyLinked",
        .noSuchProvider: "noSuchProvider",
        .invalidUserToken: "invalidUserToken",
        .networkError: "networkError",
        .userTokenExpired: "userTokenExpired",
        .invalidAPIKey: "invalidAPIKey",
        .userMismatch: "userMismatch",
        .credentialAlreadyInUse: "credentialAlreadyInUse",
        .weakPassword: "weakPassword",
        .appNotAuthorized: "appNotAuthorized",
        .expiredActionCode: "expiredActionCode",
        .invalidActionCode: "invalidActionCode",
        .quotaExceeded: "quotaExceeded",
        .webContextAlreadyPresented: "webContextAlreadyPresented",
        .webContextCancelled: "webContextCancelled",
        .invalidClientID: "invalidClientID",
        .webNetworkRequestFailed: "webNetworkRequestFailed",
        .webInternalError: "webInternalError",
        .webSignInUserInteractionFailure: "webSignInUserInteractionFailure",
        .nullUser: "nullUser",
        .tenantIDMismatch: "tenantIDMismatch",
        .rejectedCredential: "rejectedCredential",
        .secondFactorRequired: "secondFactorRequired",
        .missingOrInvalidNonce: "missingOrInvalidNonce",
        .keychainError: "keychainError",
        .internalError: "internalError",
        .malformedJWT: "malformedJWT",
        .keyringLocked: "keyringLocked",
        .keyringUnavailable: "keyringUnavailable",
        .recordDamaged: "recordDamaged",
        .recordVersionUnsupported: "recordVersionUnsupported",
        .accessGroupNotDeclared: "accessGroupNotDeclared",
        .invalidAccessGroup: "invalidAccessGroup",
        .invalidAppIdentifier: "invalidAppIdentifier",
        .timedOut: "timedOut",
        .outcomeUnknown: "outcomeUnknown",
        .conflict: "conflict",
        .promptDismissed: "promptDismissed",
        .accessDenied: "accessDenied",
        .alreadyConfigured: "alreadyConfigured",
        .stateDirectoryUnusable: "stateDirectoryUnusable",
        .accessGroupOccupied: "accessGroupOccupied",
        .storeFull: "storeFull",
        .keyringChanged: "keyringChanged",
        .issuerMismatch: "issuerMismatch",
        .appDeleted: "appDeleted",
        .sessionNotRevoked: "sessionNotRevoked",
    ]

    /// The name of the code as Swift has it, such as `keyringLocked`.
    package var name: String { Self.names[self] ?? String(rawValue) }

    // MARK: Firebase's own

    /// The custom token is malformed or does not belong to this project. Firebase: ERROR_INVALID_CUSTOM_TOKEN.
    public static let invalidCustomToken = AuthErrorCode(17000)
    /// The credential is malformed or expired. Firebase: ERROR_INVALID_CREDENTIAL.
    public static let invalidCredential = AuthErrorCode(17004)
    /// The account is disabled. Firebase: ERROR_USER_DISABLED.
    public static let userDisabled = AuthErrorCode(17005)
    /// The identity provider does not offer this way of signing in. Firebase: ERROR_OPERATION_NOT_ALLOWED.
    public static let operationNotAllowed = AuthErrorCode(17006)
    /// An account with this e-mail address exists. Firebase: ERROR_EMAIL_ALREADY_IN_USE.
    public static let emailAlreadyInUse = AuthErrorCode(17007)
    /// The e-mail address is malformed. Firebase: ERROR_INVALID_EMAIL.
    public static let invalidEmail = AuthErrorCode(17008)
    /// The password is wrong. Firebase: ERROR_WRONG_PASSWORD.
    public static let wrongPassword = AuthErrorCode(17009)
    /// Too many requests from here; try later. Firebase: ERROR_TOO_MANY_REQUESTS.
    public static let tooManyRequests = AuthErrorCode(17010)
    /// The account does not exist. Firebase: ERROR_USER_NOT_FOUND.
    public static let userNotFound = AuthErrorCode(17011)
    /// The e-mail address belongs to an account with other ways to sign in. Firebase: ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL.
    public static let accountExistsWithDifferentCredential = AuthErrorCode(17012)
    /// The operation needs a recent sign-in: reauthenticate, and repeat it. Firebase: ERROR_REQUIRES_RECENT_LOGIN.
    public static let requiresRecentLogin = AuthErrorCode(17014)
    /// The account has this way to sign in already. Firebase: ERROR_PROVIDER_ALREADY_LINKED.
    public static let providerAlreadyLinked = AuthErrorCode(17015)
    /// The account has no such way to sign in. Firebase: ERROR_NO_SUCH_PROVIDER.
    public static let noSuchProvider = AuthErrorCode(17016)
    /// The user's refresh token is not the identity provider's. Firebase: ERROR_INVALID_USER_TOKEN.
    public static let invalidUserToken = AuthErrorCode(17017)
    /// The identity provider cannot be reached. Firebase: ERROR_NETWORK_REQUEST_FAILED.
    public static let networkError = AuthErrorCode(17020)
    /// The user's refresh token is no longer good: sign in again. Firebase: ERROR_USER_TOKEN_EXPIRED.
    public static let userTokenExpired = AuthErrorCode(17021)
    /// The identity provider refuses the project key. Firebase: ERROR_INVALID_API_KEY.
    public static let invalidAPIKey = AuthErrorCode(17023)
    /// The credential belongs to another user. Firebase: ERROR_USER_MISMATCH.
    public static let userMismatch = AuthErrorCode(17024)
    /// The credential belongs to another account. Firebase: ERROR_CREDENTIAL_ALREADY_IN_USE.
    public static let credentialAlreadyInUse = AuthErrorCode(17025)
    /// The password is too weak. Firebase: ERROR_WEAK_PASSWORD.
    public static let weakPassword = AuthErrorCode(17026)
    /// The app may not use this project. Firebase: ERROR_APP_NOT_AUTHORIZED.
    public static let appNotAuthorized = AuthErrorCode(17028)
    /// The code of an e-mail has expired. Firebase: ERROR_EXPIRED_ACTION_CODE.
    public static let expiredActionCode = AuthErrorCode(17029)
    /// The code of an e-mail is malformed or was used. Firebase: ERROR_INVALID_ACTION_CODE.
    public static let invalidActionCode = AuthErrorCode(17030)
    /// The identity provider's quota is used up. Firebase: ERROR_QUOTA_EXCEEDED.
    public static let quotaExceeded = AuthErrorCode(17052)
    /// A sign-in that a person takes part in is running already. Firebase: ERROR_WEB_CONTEXT_ALREADY_PRESENTED.
    public static let webContextAlreadyPresented = AuthErrorCode(17057)
    /// The person or the app gave the sign-in up. Firebase: ERROR_WEB_CONTEXT_CANCELLED.
    public static let webContextCancelled = AuthErrorCode(17058)
    /// The identity provider does not know the client id. Firebase: ERROR_INVALID_CLIENT_ID.
    public static let invalidClientID = AuthErrorCode(17060)
    /// The browser could not reach the identity provider. Firebase: ERROR_WEB_NETWORK_REQUEST_FAILED.
    public static let webNetworkRequestFailed = AuthErrorCode(17061)
    /// The identity provider failed, or answered what cannot be read. Firebase: ERROR_WEB_INTERNAL_ERROR.
    public static let webInternalError = AuthErrorCode(17062)
    /// No person could take part in the sign-in, e.g. as no browser opens. Firebase: ERROR_WEB_USER_INTERACTION_FAILURE.
    public static let webSignInUserInteractionFailure = AuthErrorCode(17063)
    /// A user is needed and there is none. Firebase: ERROR_NULL_USER.
    public static let nullUser = AuthErrorCode(17067)
    /// The user belongs to another tenant. Firebase: ERROR_TENANT_ID_MISMATCH.
    public static let tenantIDMismatch = AuthErrorCode(17072)
    /// The identity provider refuses the credential. Firebase: ERROR_REJECTED_CREDENTIAL.
    public static let rejectedCredential = AuthErrorCode(17075)
    /// The sign-in needs a second factor. Firebase: ERROR_SECOND_FACTOR_REQUIRED.
    public static let secondFactorRequired = AuthErrorCode(17078)
    /// The nonce of an ID token is missing or wrong. Firebase: ERROR_MISSING_OR_INVALID_NONCE.
    public static let missingOrInvalidNonce = AuthErrorCode(17094)
    /// The store of secrets failed in a way that no other code names. Firebase: ERROR_KEYCHAIN_ERROR.
    public static let keychainError = AuthErrorCode(17995)
    /// Something that should not happen. Firebase: ERROR_INTERNAL_ERROR.
    public static let internalError = AuthErrorCode(17999)
    /// An ID token cannot be read. Firebase: ERROR_MALFORMED_JWT.
    public static let malformedJWT = AuthErrorCode(18000)

    // MARK: SharedAuth's own

    /// The keyring is locked; nothing was read or written.
    public static let keyringLocked = AuthErrorCode(19001)
    /// No session bus, no Secret Service, or no default collection; or an encrypted-file store that is not there or has no
    /// key; nothing was read or written.
    public static let keyringUnavailable = AuthErrorCode(19002)
    /// What is stored cannot be read as a record; it was left where it is.
    public static let recordDamaged = AuthErrorCode(19003)
    /// The record was written by a newer version of SharedAuth; it was left where it is.
    public static let recordVersionUnsupported = AuthErrorCode(19004)
    /// The app does not declare this access group.
    public static let accessGroupNotDeclared = AuthErrorCode(19005)
    /// The name of the access group is malformed.
    public static let invalidAccessGroup = AuthErrorCode(19006)
    /// The app id, team id, project or app name is malformed.
    public static let invalidAppIdentifier = AuthErrorCode(19007)
    /// The deadline passed, and nothing was changed.
    public static let timedOut = AuthErrorCode(19008)
    /// The store did not answer; whether it did what it was asked is not known until it is read again.
    public static let outcomeUnknown = AuthErrorCode(19009)
    /// Another process changed the slot meanwhile.
    public static let conflict = AuthErrorCode(19010)
    /// The person dismissed the keyring's prompt.
    public static let promptDismissed = AuthErrorCode(19011)
    /// The session bus or a sandbox refuses access to the keyring; or an encrypted-file store is not safe from other
    /// users, or its key is another.
    public static let accessDenied = AuthErrorCode(19012)
    /// An app of this name is configured already, with other options.
    public static let alreadyConfigured = AuthErrorCode(19013)
    /// The app's choice of access group cannot be stored in or read from its state directory.
    public static let stateDirectoryUnusable = AuthErrorCode(19014)
    /// The target of a migration holds another user.
    public static let accessGroupOccupied = AuthErrorCode(19015)
    /// There is no room left to store anything; what was stored is as it was.
    public static let storeFull = AuthErrorCode(19016)
    /// The keyring daemon is another program than the one that keeps the user, and has no user; signing in or out resolves it.
    public static let keyringChanged = AuthErrorCode(19017)
    /// The user belongs to another issuer than this app's identity provider; the user stays signed in.
    public static let issuerMismatch = AuthErrorCode(19018)
    /// The app of this `Auth` was deleted.
    public static let appDeleted = AuthErrorCode(19019)
    /// The user was signed out, but the identity provider has not revoked the session.
    public static let sessionNotRevoked = AuthErrorCode(19020)
}
