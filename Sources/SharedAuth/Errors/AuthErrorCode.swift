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
        .customTokenMismatch: "customTokenMismatch",
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
        .invalidMessagePayload: "invalidMessagePayload",
        .invalidSender: "invalidSender",
        .invalidRecipientEmail: "invalidRecipientEmail",
        .missingEmail: "missingEmail",
        .missingIosBundleID: "missingIosBundleID",
        .missingAndroidPackageName: "missingAndroidPackageName",
        .unauthorizedDomain: "unauthorizedDomain",
        .invalidContinueURI: "invalidContinueURI",
        .missingContinueURI: "missingContinueURI",
        .missingPhoneNumber: "missingPhoneNumber",
        .invalidPhoneNumber: "invalidPhoneNumber",
        .missingVerificationCode: "missingVerificationCode",
        .invalidVerificationCode: "invalidVerificationCode",
        .missingVerificationID: "missingVerificationID",
        .invalidVerificationID: "invalidVerificationID",
        .missingAppCredential: "missingAppCredential",
        .invalidAppCredential: "invalidAppCredential",
        .sessionExpired: "sessionExpired",
        .quotaExceeded: "quotaExceeded",
        .missingAppToken: "missingAppToken",
        .notificationNotForwarded: "notificationNotForwarded",
        .appNotVerified: "appNotVerified",
        .captchaCheckFailed: "captchaCheckFailed",
        .webContextAlreadyPresented: "webContextAlreadyPresented",
        .webContextCancelled: "webContextCancelled",
        .appVerificationUserInteractionFailure: "appVerificationUserInteractionFailure",
        .invalidClientID: "invalidClientID",
        .webNetworkRequestFailed: "webNetworkRequestFailed",
        .webInternalError: "webInternalError",
        .webSignInUserInteractionFailure: "webSignInUserInteractionFailure",
        .localPlayerNotAuthenticated: "localPlayerNotAuthenticated",
        .nullUser: "nullUser",
        .invalidProviderID: "invalidProviderID",
        .tenantIDMismatch: "tenantIDMismatch",
        .unsupportedTenantOperation: "unsupportedTenantOperation",
        .rejectedCredential: "rejectedCredential",
        .gameKitNotLinked: "gameKitNotLinked",
        .secondFactorRequired: "secondFactorRequired",
        .missingMultiFactorSession: "missingMultiFactorSession",
        .missingMultiFactorInfo: "missingMultiFactorInfo",
        .invalidMultiFactorSession: "invalidMultiFactorSession",
        .multiFactorInfoNotFound: "multiFactorInfoNotFound",
        .adminRestrictedOperation: "adminRestrictedOperation",
        .unverifiedEmail: "unverifiedEmail",
        .secondFactorAlreadyEnrolled: "secondFactorAlreadyEnrolled",
        .maximumSecondFactorCountExceeded: "maximumSecondFactorCountExceeded",
        .unsupportedFirstFactor: "unsupportedFirstFactor",
        .emailChangeNeedsVerification: "emailChangeNeedsVerification",
        .missingClientIdentifier: "missingClientIdentifier",
        .missingOrInvalidNonce: "missingOrInvalidNonce",
        .blockingCloudFunctionError: "blockingCloudFunctionError",
        .recaptchaNotEnabled: "recaptchaNotEnabled",
        .missingRecaptchaToken: "missingRecaptchaToken",
        .invalidRecaptchaToken: "invalidRecaptchaToken",
        .invalidRecaptchaAction: "invalidRecaptchaAction",
        .missingClientType: "missingClientType",
        .missingRecaptchaVersion: "missingRecaptchaVersion",
        .invalidRecaptchaVersion: "invalidRecaptchaVersion",
        .invalidReqType: "invalidReqType",
        .recaptchaSDKNotLinked: "recaptchaSDKNotLinked",
        .recaptchaSiteKeyMissing: "recaptchaSiteKeyMissing",
        .recaptchaActionCreationFailed: "recaptchaActionCreationFailed",
        .passwordDoesNotMeetRequirements: "passwordDoesNotMeetRequirements",
        .invalidHostingLinkDomain: "invalidHostingLinkDomain",
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
    /// The custom token is of another project. Firebase: ERROR_CUSTOM_TOKEN_MISMATCH.
    public static let customTokenMismatch = AuthErrorCode(17002)
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
    /// The template of a mail is malformed. Firebase: ERROR_INVALID_MESSAGE_PAYLOAD.
    public static let invalidMessagePayload = AuthErrorCode(17031)
    /// The sender of a mail is malformed. Firebase: ERROR_INVALID_SENDER.
    public static let invalidSender = AuthErrorCode(17032)
    /// The address that a mail is for is malformed. Firebase: ERROR_INVALID_RECIPIENT_EMAIL.
    public static let invalidRecipientEmail = AuthErrorCode(17033)
    /// An e-mail address is needed. Firebase: ERROR_MISSING_EMAIL.
    public static let missingEmail = AuthErrorCode(17034)
    /// The settings of a mail lack a bundle id. Firebase: ERROR_MISSING_IOS_BUNDLE_ID.
    public static let missingIosBundleID = AuthErrorCode(17036)
    /// The settings of a mail lack a package name. Firebase: ERROR_MISSING_ANDROID_PKG_NAME.
    public static let missingAndroidPackageName = AuthErrorCode(17037)
    /// The project does not allow this domain in a link. Firebase: ERROR_UNAUTHORIZED_DOMAIN.
    public static let unauthorizedDomain = AuthErrorCode(17038)
    /// The page that a link leads to is malformed. Firebase: ERROR_INVALID_CONTINUE_URI.
    public static let invalidContinueURI = AuthErrorCode(17039)
    /// A mail needs a page that its link leads to. Firebase: ERROR_MISSING_CONTINUE_URI.
    public static let missingContinueURI = AuthErrorCode(17040)
    /// A phone number is needed. Firebase: ERROR_MISSING_PHONE_NUMBER.
    public static let missingPhoneNumber = AuthErrorCode(17041)
    /// The phone number is malformed. Firebase: ERROR_INVALID_PHONE_NUMBER.
    public static let invalidPhoneNumber = AuthErrorCode(17042)
    /// A verification code is needed. Firebase: ERROR_MISSING_VERIFICATION_CODE.
    public static let missingVerificationCode = AuthErrorCode(17043)
    /// The verification code is wrong. Firebase: ERROR_INVALID_VERIFICATION_CODE.
    public static let invalidVerificationCode = AuthErrorCode(17044)
    /// A verification id is needed. Firebase: ERROR_MISSING_VERIFICATION_ID.
    public static let missingVerificationID = AuthErrorCode(17045)
    /// The verification id is wrong. Firebase: ERROR_INVALID_VERIFICATION_ID.
    public static let invalidVerificationID = AuthErrorCode(17046)
    /// The proof of the app's identity is missing. Firebase: MISSING_APP_CREDENTIAL.
    public static let missingAppCredential = AuthErrorCode(17047)
    /// The proof of the app's identity is wrong. Firebase: INVALID_APP_CREDENTIAL.
    public static let invalidAppCredential = AuthErrorCode(17048)
    /// The time for the verification code is over. Firebase: ERROR_SESSION_EXPIRED.
    public static let sessionExpired = AuthErrorCode(17051)
    /// The identity provider's quota is used up. Firebase: ERROR_QUOTA_EXCEEDED.
    public static let quotaExceeded = AuthErrorCode(17052)
    /// The app's token for notifications is missing. Firebase: ERROR_MISSING_APP_TOKEN.
    public static let missingAppToken = AuthErrorCode(17053)
    /// A notification did not reach the library. Firebase: ERROR_NOTIFICATION_NOT_FORWARDED.
    public static let notificationNotForwarded = AuthErrorCode(17054)
    /// The app's identity cannot be verified. Firebase: ERROR_APP_NOT_VERIFIED.
    public static let appNotVerified = AuthErrorCode(17055)
    /// The check that this is a person failed. Firebase: ERROR_CAPTCHA_CHECK_FAILED.
    public static let captchaCheckFailed = AuthErrorCode(17056)
    /// A sign-in that a person takes part in is running already. Firebase: ERROR_WEB_CONTEXT_ALREADY_PRESENTED.
    public static let webContextAlreadyPresented = AuthErrorCode(17057)
    /// The person or the app gave the sign-in up. Firebase: ERROR_WEB_CONTEXT_CANCELLED.
    public static let webContextCancelled = AuthErrorCode(17058)
    /// The person did not take part in the check. Firebase: ERROR_APP_VERIFICATION_FAILED.
    public static let appVerificationUserInteractionFailure = AuthErrorCode(17059)
    /// The identity provider does not know the client id. Firebase: ERROR_INVALID_CLIENT_ID.
    public static let invalidClientID = AuthErrorCode(17060)
    /// The browser could not reach the identity provider. Firebase: ERROR_WEB_NETWORK_REQUEST_FAILED.
    public static let webNetworkRequestFailed = AuthErrorCode(17061)
    /// The identity provider failed, or answered what cannot be read. Firebase: ERROR_WEB_INTERNAL_ERROR.
    public static let webInternalError = AuthErrorCode(17062)
    /// No person could take part in the sign-in, e.g. as no browser opens. Firebase: ERROR_WEB_USER_INTERACTION_FAILURE.
    public static let webSignInUserInteractionFailure = AuthErrorCode(17063)
    /// The player of a game is not signed in there. Firebase: ERROR_LOCAL_PLAYER_NOT_AUTHENTICATED.
    public static let localPlayerNotAuthenticated = AuthErrorCode(17066)
    /// A user is needed and there is none. Firebase: ERROR_NULL_USER.
    public static let nullUser = AuthErrorCode(17067)
    /// There is no way to sign in of this id. Firebase: ERROR_INVALID_PROVIDER_ID.
    public static let invalidProviderID = AuthErrorCode(17071)
    /// The user belongs to another tenant. Firebase: ERROR_TENANT_ID_MISMATCH.
    public static let tenantIDMismatch = AuthErrorCode(17072)
    /// Tenants cannot do this. Firebase: ERROR_UNSUPPORTED_TENANT_OPERATION.
    public static let unsupportedTenantOperation = AuthErrorCode(17073)
    /// The identity provider refuses the credential. Firebase: ERROR_REJECTED_CREDENTIAL.
    public static let rejectedCredential = AuthErrorCode(17075)
    /// The library for games is missing. Firebase: ERROR_GAME_KIT_NOT_LINKED.
    public static let gameKitNotLinked = AuthErrorCode(17076)
    /// The sign-in needs a second factor. Firebase: ERROR_SECOND_FACTOR_REQUIRED.
    public static let secondFactorRequired = AuthErrorCode(17078)
    /// The proof of the first factor is missing. Firebase: ERROR_MISSING_MULTI_FACTOR_SESSION.
    public static let missingMultiFactorSession = AuthErrorCode(17081)
    /// The request does not say which second factor is meant. Firebase: ERROR_MISSING_MULTI_FACTOR_INFO.
    public static let missingMultiFactorInfo = AuthErrorCode(17082)
    /// The proof of the first factor is wrong or too old. Firebase: ERROR_INVALID_MULTI_FACTOR_SESSION.
    public static let invalidMultiFactorSession = AuthErrorCode(17083)
    /// The account has no such second factor. Firebase: ERROR_MULTI_FACTOR_INFO_NOT_FOUND.
    public static let multiFactorInfoNotFound = AuthErrorCode(17084)
    /// The project lets only its administrators do this. Firebase: ERROR_ADMIN_RESTRICTED_OPERATION.
    public static let adminRestrictedOperation = AuthErrorCode(17085)
    /// The e-mail address has to be verified first. Firebase: ERROR_UNVERIFIED_EMAIL.
    public static let unverifiedEmail = AuthErrorCode(17086)
    /// The account has this second factor already. Firebase: ERROR_SECOND_FACTOR_ALREADY_ENROLLED.
    public static let secondFactorAlreadyEnrolled = AuthErrorCode(17087)
    /// The account has the maximum number of second factors. Firebase: ERROR_MAXIMUM_SECOND_FACTOR_COUNT_EXCEEDED.
    public static let maximumSecondFactorCountExceeded = AuthErrorCode(17088)
    /// This way to sign in allows no second factor. Firebase: ERROR_UNSUPPORTED_FIRST_FACTOR.
    public static let unsupportedFirstFactor = AuthErrorCode(17089)
    /// The new e-mail address has to be verified first. Firebase: ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION.
    public static let emailChangeNeedsVerification = AuthErrorCode(17090)
    /// The request does not identify the app. Firebase: ERROR_MISSING_CLIENT_IDENTIFIER.
    public static let missingClientIdentifier = AuthErrorCode(17093)
    /// The nonce of an ID token is missing or wrong. Firebase: ERROR_MISSING_OR_INVALID_NONCE.
    public static let missingOrInvalidNonce = AuthErrorCode(17094)
    /// A function of the project refuses the operation. Firebase: ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR.
    public static let blockingCloudFunctionError = AuthErrorCode(17105)
    /// The project has no reCAPTCHA Enterprise. Firebase: ERROR_RECAPTCHA_NOT_ENABLED.
    public static let recaptchaNotEnabled = AuthErrorCode(17200)
    /// The project wants a token of reCAPTCHA Enterprise. Firebase: ERROR_MISSING_RECAPTCHA_TOKEN.
    public static let missingRecaptchaToken = AuthErrorCode(17201)
    /// The token of reCAPTCHA Enterprise is wrong. Firebase: ERROR_INVALID_RECAPTCHA_TOKEN.
    public static let invalidRecaptchaToken = AuthErrorCode(17202)
    /// The token of reCAPTCHA Enterprise is for something else. Firebase: ERROR_INVALID_RECAPTCHA_ACTION.
    public static let invalidRecaptchaAction = AuthErrorCode(17203)
    /// reCAPTCHA Enterprise wants the kind of client. Firebase: ERROR_MISSING_CLIENT_TYPE.
    public static let missingClientType = AuthErrorCode(17204)
    /// reCAPTCHA Enterprise wants its version. Firebase: ERROR_MISSING_RECAPTCHA_VERSION.
    public static let missingRecaptchaVersion = AuthErrorCode(17205)
    /// The version of reCAPTCHA Enterprise is wrong. Firebase: ERROR_INVALID_RECAPTCHA_VERSION.
    public static let invalidRecaptchaVersion = AuthErrorCode(17206)
    /// The kind of request is wrong. Firebase: ERROR_INVALID_REQ_TYPE.
    public static let invalidReqType = AuthErrorCode(17207)
    /// The library of reCAPTCHA Enterprise is missing. Firebase: ERROR_RECAPTCHA_SDK_NOT_LINKED.
    public static let recaptchaSDKNotLinked = AuthErrorCode(17208)
    /// The project has no key for reCAPTCHA Enterprise. Firebase: ERROR_RECAPTCHA_SITE_KEY_MISSING.
    public static let recaptchaSiteKeyMissing = AuthErrorCode(17209)
    /// reCAPTCHA Enterprise could not begin. Firebase: ERROR_RECAPTCHA_ACTION_CREATION_FAILED.
    public static let recaptchaActionCreationFailed = AuthErrorCode(17210)
    /// The password does not meet the project's policy. Firebase: ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS.
    public static let passwordDoesNotMeetRequirements = AuthErrorCode(17211)
    /// The project does not own the domain that a link is to have. Firebase: ERROR_INVALID_HOSTING_LINK_DOMAIN.
    public static let invalidHostingLinkDomain = AuthErrorCode(17214)
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
