/// The kind of failure that an `AuthError` reports.
///
/// Codes that Firebase Authentication also defines have its numbers (17000 to 18000). SharedAuth's own codes start at
/// 19001. The set can grow.
public struct AuthErrorCode: RawRepresentable, Sendable, Hashable {
    private let known: Known

    /// The number, as Firebase prints it for the codes that both define.
    public var rawValue: Int { known.rawValue }

    /// Creates the code with a number; nil if no code has that number.
    public init?(rawValue: Int) {
        guard let known = Known(rawValue: rawValue) else { return nil }
        self.known = known
    }

    private init(_ known: Known) { self.known = known }

    /// The name of the code in Swift, such as `keyringLocked`.
    package var name: String { "\(known)" }

    // MARK: Firebase's own

    /// The custom token is malformed or does not belong to this project. Firebase: ERROR_INVALID_CUSTOM_TOKEN.
    public static let invalidCustomToken = AuthErrorCode(.invalidCustomToken)
    /// The custom token belongs to another project. Firebase: ERROR_CUSTOM_TOKEN_MISMATCH.
    public static let customTokenMismatch = AuthErrorCode(.customTokenMismatch)
    /// The credential is malformed or expired. Firebase: ERROR_INVALID_CREDENTIAL.
    public static let invalidCredential = AuthErrorCode(.invalidCredential)
    /// The account is disabled. Firebase: ERROR_USER_DISABLED.
    public static let userDisabled = AuthErrorCode(.userDisabled)
    /// The identity provider does not allow this sign-in method. Firebase: ERROR_OPERATION_NOT_ALLOWED.
    public static let operationNotAllowed = AuthErrorCode(.operationNotAllowed)
    /// An account with this e-mail address already exists. Firebase: ERROR_EMAIL_ALREADY_IN_USE.
    public static let emailAlreadyInUse = AuthErrorCode(.emailAlreadyInUse)
    /// The e-mail address is malformed. Firebase: ERROR_INVALID_EMAIL.
    public static let invalidEmail = AuthErrorCode(.invalidEmail)
    /// The password is wrong. Firebase: ERROR_WRONG_PASSWORD.
    public static let wrongPassword = AuthErrorCode(.wrongPassword)
    /// Too many requests were sent; try again later. Firebase: ERROR_TOO_MANY_REQUESTS.
    public static let tooManyRequests = AuthErrorCode(.tooManyRequests)
    /// The account does not exist. Firebase: ERROR_USER_NOT_FOUND.
    public static let userNotFound = AuthErrorCode(.userNotFound)
    /// The e-mail address belongs to an account with other sign-in methods. Firebase:
    /// ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL.
    public static let accountExistsWithDifferentCredential = AuthErrorCode(.accountExistsWithDifferentCredential)
    /// The operation needs a recent sign-in: reauthenticate, then repeat it. Firebase: ERROR_REQUIRES_RECENT_LOGIN.
    public static let requiresRecentLogin = AuthErrorCode(.requiresRecentLogin)
    /// The account already has this sign-in method. Firebase: ERROR_PROVIDER_ALREADY_LINKED.
    public static let providerAlreadyLinked = AuthErrorCode(.providerAlreadyLinked)
    /// The account does not have this sign-in method. Firebase: ERROR_NO_SUCH_PROVIDER.
    public static let noSuchProvider = AuthErrorCode(.noSuchProvider)
    /// The identity provider does not recognize the user's refresh token. Firebase: ERROR_INVALID_USER_TOKEN.
    public static let invalidUserToken = AuthErrorCode(.invalidUserToken)
    /// The identity provider cannot be reached. Firebase: ERROR_NETWORK_REQUEST_FAILED.
    public static let networkError = AuthErrorCode(.networkError)
    /// The user's refresh token is no longer valid: sign in again. Firebase: ERROR_USER_TOKEN_EXPIRED.
    public static let userTokenExpired = AuthErrorCode(.userTokenExpired)
    /// The identity provider rejects the project key. Firebase: ERROR_INVALID_API_KEY.
    public static let invalidAPIKey = AuthErrorCode(.invalidAPIKey)
    /// The credential belongs to another user. Firebase: ERROR_USER_MISMATCH.
    public static let userMismatch = AuthErrorCode(.userMismatch)
    /// The credential belongs to another account. Firebase: ERROR_CREDENTIAL_ALREADY_IN_USE.
    public static let credentialAlreadyInUse = AuthErrorCode(.credentialAlreadyInUse)
    /// The password is too weak. Firebase: ERROR_WEAK_PASSWORD.
    public static let weakPassword = AuthErrorCode(.weakPassword)
    /// The app may not use this project. Firebase: ERROR_APP_NOT_AUTHORIZED.
    public static let appNotAuthorized = AuthErrorCode(.appNotAuthorized)
    /// The action code from an e-mail has expired. Firebase: ERROR_EXPIRED_ACTION_CODE.
    public static let expiredActionCode = AuthErrorCode(.expiredActionCode)
    /// The action code from an e-mail is malformed or was already used. Firebase: ERROR_INVALID_ACTION_CODE.
    public static let invalidActionCode = AuthErrorCode(.invalidActionCode)
    /// The template of an e-mail is malformed. Firebase: ERROR_INVALID_MESSAGE_PAYLOAD.
    public static let invalidMessagePayload = AuthErrorCode(.invalidMessagePayload)
    /// The sender of an e-mail is malformed. Firebase: ERROR_INVALID_SENDER.
    public static let invalidSender = AuthErrorCode(.invalidSender)
    /// The recipient's e-mail address is malformed. Firebase: ERROR_INVALID_RECIPIENT_EMAIL.
    public static let invalidRecipientEmail = AuthErrorCode(.invalidRecipientEmail)
    /// An e-mail address is required. Firebase: ERROR_MISSING_EMAIL.
    public static let missingEmail = AuthErrorCode(.missingEmail)
    /// The settings of an e-mail lack a bundle id. Firebase: ERROR_MISSING_IOS_BUNDLE_ID.
    public static let missingIosBundleID = AuthErrorCode(.missingIosBundleID)
    /// The settings of an e-mail lack a package name. Firebase: ERROR_MISSING_ANDROID_PKG_NAME.
    public static let missingAndroidPackageName = AuthErrorCode(.missingAndroidPackageName)
    /// The project does not allow this domain in a link. Firebase: ERROR_UNAUTHORIZED_DOMAIN.
    public static let unauthorizedDomain = AuthErrorCode(.unauthorizedDomain)
    /// The URL of the page that a link leads to is malformed. Firebase: ERROR_INVALID_CONTINUE_URI.
    public static let invalidContinueURI = AuthErrorCode(.invalidContinueURI)
    /// The URL of the page that a link leads to is missing. Firebase: ERROR_MISSING_CONTINUE_URI.
    public static let missingContinueURI = AuthErrorCode(.missingContinueURI)
    /// A phone number is required. Firebase: ERROR_MISSING_PHONE_NUMBER.
    public static let missingPhoneNumber = AuthErrorCode(.missingPhoneNumber)
    /// The phone number is malformed. Firebase: ERROR_INVALID_PHONE_NUMBER.
    public static let invalidPhoneNumber = AuthErrorCode(.invalidPhoneNumber)
    /// A verification code is required. Firebase: ERROR_MISSING_VERIFICATION_CODE.
    public static let missingVerificationCode = AuthErrorCode(.missingVerificationCode)
    /// The verification code is wrong. Firebase: ERROR_INVALID_VERIFICATION_CODE.
    public static let invalidVerificationCode = AuthErrorCode(.invalidVerificationCode)
    /// A verification id is required. Firebase: ERROR_MISSING_VERIFICATION_ID.
    public static let missingVerificationID = AuthErrorCode(.missingVerificationID)
    /// The verification id is wrong. Firebase: ERROR_INVALID_VERIFICATION_ID.
    public static let invalidVerificationID = AuthErrorCode(.invalidVerificationID)
    /// The proof of the app's identity is missing. Firebase: MISSING_APP_CREDENTIAL.
    public static let missingAppCredential = AuthErrorCode(.missingAppCredential)
    /// The proof of the app's identity is wrong. Firebase: INVALID_APP_CREDENTIAL.
    public static let invalidAppCredential = AuthErrorCode(.invalidAppCredential)
    /// The verification code has expired. Firebase: ERROR_SESSION_EXPIRED.
    public static let sessionExpired = AuthErrorCode(.sessionExpired)
    /// The identity provider's quota is exhausted. Firebase: ERROR_QUOTA_EXCEEDED.
    public static let quotaExceeded = AuthErrorCode(.quotaExceeded)
    /// The app's token for notifications is missing. Firebase: ERROR_MISSING_APP_TOKEN.
    public static let missingAppToken = AuthErrorCode(.missingAppToken)
    /// A notification did not reach the library. Firebase: ERROR_NOTIFICATION_NOT_FORWARDED.
    public static let notificationNotForwarded = AuthErrorCode(.notificationNotForwarded)
    /// The app's identity cannot be verified. Firebase: ERROR_APP_NOT_VERIFIED.
    public static let appNotVerified = AuthErrorCode(.appNotVerified)
    /// The CAPTCHA check failed. Firebase: ERROR_CAPTCHA_CHECK_FAILED.
    public static let captchaCheckFailed = AuthErrorCode(.captchaCheckFailed)
    /// An interactive sign-in is already running. Firebase: ERROR_WEB_CONTEXT_ALREADY_PRESENTED.
    public static let webContextAlreadyPresented = AuthErrorCode(.webContextAlreadyPresented)
    /// The user or the app cancelled the sign-in. Firebase: ERROR_WEB_CONTEXT_CANCELLED.
    public static let webContextCancelled = AuthErrorCode(.webContextCancelled)
    /// The user did not complete the verification. Firebase: ERROR_APP_VERIFICATION_FAILED.
    public static let appVerificationUserInteractionFailure = AuthErrorCode(.appVerificationUserInteractionFailure)
    /// The identity provider does not know the client id. Firebase: ERROR_INVALID_CLIENT_ID.
    public static let invalidClientID = AuthErrorCode(.invalidClientID)
    /// The browser could not reach the identity provider. Firebase: ERROR_WEB_NETWORK_REQUEST_FAILED.
    public static let webNetworkRequestFailed = AuthErrorCode(.webNetworkRequestFailed)
    /// The identity provider failed, or its response cannot be read. Firebase: ERROR_WEB_INTERNAL_ERROR.
    public static let webInternalError = AuthErrorCode(.webInternalError)
    /// The user could not take part in the sign-in, e.g. because no browser opens. Firebase:
    /// ERROR_WEB_USER_INTERACTION_FAILURE.
    public static let webSignInUserInteractionFailure = AuthErrorCode(.webSignInUserInteractionFailure)
    /// The local player is not signed in to the game service. Firebase: ERROR_LOCAL_PLAYER_NOT_AUTHENTICATED.
    public static let localPlayerNotAuthenticated = AuthErrorCode(.localPlayerNotAuthenticated)
    /// The operation requires a user. Firebase: ERROR_NULL_USER.
    public static let nullUser = AuthErrorCode(.nullUser)
    /// No sign-in method has this id. Firebase: ERROR_INVALID_PROVIDER_ID.
    public static let invalidProviderID = AuthErrorCode(.invalidProviderID)
    /// The user belongs to another tenant. Firebase: ERROR_TENANT_ID_MISMATCH.
    public static let tenantIDMismatch = AuthErrorCode(.tenantIDMismatch)
    /// Tenants do not support this operation. Firebase: ERROR_UNSUPPORTED_TENANT_OPERATION.
    public static let unsupportedTenantOperation = AuthErrorCode(.unsupportedTenantOperation)
    /// The identity provider rejects the credential. Firebase: ERROR_REJECTED_CREDENTIAL.
    public static let rejectedCredential = AuthErrorCode(.rejectedCredential)
    /// The game library is not linked. Firebase: ERROR_GAME_KIT_NOT_LINKED.
    public static let gameKitNotLinked = AuthErrorCode(.gameKitNotLinked)
    /// The sign-in needs a second factor. Firebase: ERROR_SECOND_FACTOR_REQUIRED.
    public static let secondFactorRequired = AuthErrorCode(.secondFactorRequired)
    /// The proof of the first factor is missing. Firebase: ERROR_MISSING_MULTI_FACTOR_SESSION.
    public static let missingMultiFactorSession = AuthErrorCode(.missingMultiFactorSession)
    /// The request does not name the second factor. Firebase: ERROR_MISSING_MULTI_FACTOR_INFO.
    public static let missingMultiFactorInfo = AuthErrorCode(.missingMultiFactorInfo)
    /// The proof of the first factor is wrong or too old. Firebase: ERROR_INVALID_MULTI_FACTOR_SESSION.
    public static let invalidMultiFactorSession = AuthErrorCode(.invalidMultiFactorSession)
    /// The account does not have this second factor. Firebase: ERROR_MULTI_FACTOR_INFO_NOT_FOUND.
    public static let multiFactorInfoNotFound = AuthErrorCode(.multiFactorInfoNotFound)
    /// Only administrators of the project may do this. Firebase: ERROR_ADMIN_RESTRICTED_OPERATION.
    public static let adminRestrictedOperation = AuthErrorCode(.adminRestrictedOperation)
    /// The e-mail address must be verified first. Firebase: ERROR_UNVERIFIED_EMAIL.
    public static let unverifiedEmail = AuthErrorCode(.unverifiedEmail)
    /// The account already has this second factor. Firebase: ERROR_SECOND_FACTOR_ALREADY_ENROLLED.
    public static let secondFactorAlreadyEnrolled = AuthErrorCode(.secondFactorAlreadyEnrolled)
    /// The account has the maximum number of second factors. Firebase: ERROR_MAXIMUM_SECOND_FACTOR_COUNT_EXCEEDED.
    public static let maximumSecondFactorCountExceeded = AuthErrorCode(.maximumSecondFactorCountExceeded)
    /// This sign-in method allows no second factor. Firebase: ERROR_UNSUPPORTED_FIRST_FACTOR.
    public static let unsupportedFirstFactor = AuthErrorCode(.unsupportedFirstFactor)
    /// The new e-mail address must be verified first. Firebase: ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION.
    public static let emailChangeNeedsVerification = AuthErrorCode(.emailChangeNeedsVerification)
    /// The request does not identify the app. Firebase: ERROR_MISSING_CLIENT_IDENTIFIER.
    public static let missingClientIdentifier = AuthErrorCode(.missingClientIdentifier)
    /// The nonce of an ID token is missing or wrong. Firebase: ERROR_MISSING_OR_INVALID_NONCE.
    public static let missingOrInvalidNonce = AuthErrorCode(.missingOrInvalidNonce)
    /// A blocking function of the project rejected the operation. Firebase:
    /// ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR.
    public static let blockingCloudFunctionError = AuthErrorCode(.blockingCloudFunctionError)
    /// reCAPTCHA Enterprise is not enabled for the project. Firebase: ERROR_RECAPTCHA_NOT_ENABLED.
    public static let recaptchaNotEnabled = AuthErrorCode(.recaptchaNotEnabled)
    /// The project requires a reCAPTCHA Enterprise token. Firebase: ERROR_MISSING_RECAPTCHA_TOKEN.
    public static let missingRecaptchaToken = AuthErrorCode(.missingRecaptchaToken)
    /// The reCAPTCHA Enterprise token is wrong. Firebase: ERROR_INVALID_RECAPTCHA_TOKEN.
    public static let invalidRecaptchaToken = AuthErrorCode(.invalidRecaptchaToken)
    /// The reCAPTCHA Enterprise token is for another action. Firebase: ERROR_INVALID_RECAPTCHA_ACTION.
    public static let invalidRecaptchaAction = AuthErrorCode(.invalidRecaptchaAction)
    /// reCAPTCHA Enterprise requires the client type. Firebase: ERROR_MISSING_CLIENT_TYPE.
    public static let missingClientType = AuthErrorCode(.missingClientType)
    /// reCAPTCHA Enterprise requires its version. Firebase: ERROR_MISSING_RECAPTCHA_VERSION.
    public static let missingRecaptchaVersion = AuthErrorCode(.missingRecaptchaVersion)
    /// The reCAPTCHA Enterprise version is wrong. Firebase: ERROR_INVALID_RECAPTCHA_VERSION.
    public static let invalidRecaptchaVersion = AuthErrorCode(.invalidRecaptchaVersion)
    /// The request type is wrong. Firebase: ERROR_INVALID_REQ_TYPE.
    public static let invalidReqType = AuthErrorCode(.invalidReqType)
    /// The reCAPTCHA Enterprise library is not linked. Firebase: ERROR_RECAPTCHA_SDK_NOT_LINKED.
    public static let recaptchaSDKNotLinked = AuthErrorCode(.recaptchaSDKNotLinked)
    /// The project has no reCAPTCHA Enterprise key. Firebase: ERROR_RECAPTCHA_SITE_KEY_MISSING.
    public static let recaptchaSiteKeyMissing = AuthErrorCode(.recaptchaSiteKeyMissing)
    /// reCAPTCHA Enterprise could not start. Firebase: ERROR_RECAPTCHA_ACTION_CREATION_FAILED.
    public static let recaptchaActionCreationFailed = AuthErrorCode(.recaptchaActionCreationFailed)
    /// The password does not meet the project's policy. Firebase: ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS.
    public static let passwordDoesNotMeetRequirements = AuthErrorCode(.passwordDoesNotMeetRequirements)
    /// The project does not own the domain chosen for a link. Firebase: ERROR_INVALID_HOSTING_LINK_DOMAIN.
    public static let invalidHostingLinkDomain = AuthErrorCode(.invalidHostingLinkDomain)
    /// The store failed in a way that no other code describes. Firebase: ERROR_KEYCHAIN_ERROR.
    public static let keychainError = AuthErrorCode(.keychainError)
    /// An internal error occurred that should not happen. Firebase: ERROR_INTERNAL_ERROR.
    public static let internalError = AuthErrorCode(.internalError)
    /// An ID token cannot be read. Firebase: ERROR_MALFORMED_JWT.
    public static let malformedJWT = AuthErrorCode(.malformedJWT)

    // MARK: SharedAuth's own

    /// The keyring is locked; nothing was read or written.
    public static let keyringLocked = AuthErrorCode(.keyringLocked)
    /// The session bus, the Secret Service or the default collection is missing, or an encrypted-file store does not
    /// exist or has no key; nothing was read or written.
    public static let keyringUnavailable = AuthErrorCode(.keyringUnavailable)
    /// The stored data cannot be read as a record; it was left in place.
    public static let recordDamaged = AuthErrorCode(.recordDamaged)
    /// A newer version of SharedAuth wrote the record; it was left in place.
    public static let recordVersionUnsupported = AuthErrorCode(.recordVersionUnsupported)
    /// The app does not declare this access group.
    public static let accessGroupNotDeclared = AuthErrorCode(.accessGroupNotDeclared)
    /// The name of the access group is malformed.
    public static let invalidAccessGroup = AuthErrorCode(.invalidAccessGroup)
    /// The app id, team id, project or app name is malformed.
    public static let invalidAppIdentifier = AuthErrorCode(.invalidAppIdentifier)
    /// The deadline passed; nothing was changed.
    public static let timedOut = AuthErrorCode(.timedOut)
    /// The store did not respond; whether it made the change is unknown until the slot is read again.
    public static let outcomeUnknown = AuthErrorCode(.outcomeUnknown)
    /// Another process changed the slot during the operation.
    public static let conflict = AuthErrorCode(.conflict)
    /// The user dismissed the keyring's prompt.
    public static let promptDismissed = AuthErrorCode(.promptDismissed)
    /// The session bus or a sandbox denies access to the keyring; or other users can access an encrypted-file store, or
    /// the store has a different key.
    public static let accessDenied = AuthErrorCode(.accessDenied)
    /// An app with this name is already configured with different options.
    public static let alreadyConfigured = AuthErrorCode(.alreadyConfigured)
    /// The app's access-group choice cannot be stored in, or read from, its state directory.
    public static let stateDirectoryUnusable = AuthErrorCode(.stateDirectoryUnusable)
    /// The target of a migration holds another user.
    public static let accessGroupOccupied = AuthErrorCode(.accessGroupOccupied)
    /// The store is full; the stored data is unchanged.
    public static let storeFull = AuthErrorCode(.storeFull)
    /// The keyring that stores the user is another daemon's, or was replaced, and the present one has no user; signing in
    /// or out resolves it.
    public static let keyringChanged = AuthErrorCode(.keyringChanged)
    /// The user's issuer is not this app's identity provider; the user stays signed in.
    public static let issuerMismatch = AuthErrorCode(.issuerMismatch)
    /// The app that this `Auth` belongs to was deleted.
    public static let appDeleted = AuthErrorCode(.appDeleted)
    /// The user was signed out, but the identity provider did not revoke the session.
    public static let sessionNotRevoked = AuthErrorCode(.sessionNotRevoked)
    /// A file cannot be locked because its file system has no locks or its lock service is not running; nothing was
    /// changed.
    public static let fileLocksUnavailable = AuthErrorCode(.fileLocksUnavailable)
    /// The access group is kept on a fleet, and this app's store is not the fleet's; nothing was changed.
    public static let keptOnFleet = AuthErrorCode(.keptOnFleet)
}

extension AuthErrorCode {
    /// The numbers of the codes; the compiler rejects duplicates. Private, so that the set can grow.
    private enum Known: Int {
        case invalidCustomToken = 17000
        case customTokenMismatch = 17002
        case invalidCredential = 17004
        case userDisabled = 17005
        case operationNotAllowed = 17006
        case emailAlreadyInUse = 17007
        case invalidEmail = 17008
        case wrongPassword = 17009
        case tooManyRequests = 17010
        case userNotFound = 17011
        case accountExistsWithDifferentCredential = 17012
        case requiresRecentLogin = 17014
        case providerAlreadyLinked = 17015
        case noSuchProvider = 17016
        case invalidUserToken = 17017
        case networkError = 17020
        case userTokenExpired = 17021
        case invalidAPIKey = 17023
        case userMismatch = 17024
        case credentialAlreadyInUse = 17025
        case weakPassword = 17026
        case appNotAuthorized = 17028
        case expiredActionCode = 17029
        case invalidActionCode = 17030
        case invalidMessagePayload = 17031
        case invalidSender = 17032
        case invalidRecipientEmail = 17033
        case missingEmail = 17034
        case missingIosBundleID = 17036
        case missingAndroidPackageName = 17037
        case unauthorizedDomain = 17038
        case invalidContinueURI = 17039
        case missingContinueURI = 17040
        case missingPhoneNumber = 17041
        case invalidPhoneNumber = 17042
        case missingVerificationCode = 17043
        case invalidVerificationCode = 17044
        case missingVerificationID = 17045
        case invalidVerificationID = 17046
        case missingAppCredential = 17047
        case invalidAppCredential = 17048
        case sessionExpired = 17051
        case quotaExceeded = 17052
        case missingAppToken = 17053
        case notificationNotForwarded = 17054
        case appNotVerified = 17055
        case captchaCheckFailed = 17056
        case webContextAlreadyPresented = 17057
        case webContextCancelled = 17058
        case appVerificationUserInteractionFailure = 17059
        case invalidClientID = 17060
        case webNetworkRequestFailed = 17061
        case webInternalError = 17062
        case webSignInUserInteractionFailure = 17063
        case localPlayerNotAuthenticated = 17066
        case nullUser = 17067
        case invalidProviderID = 17071
        case tenantIDMismatch = 17072
        case unsupportedTenantOperation = 17073
        case rejectedCredential = 17075
        case gameKitNotLinked = 17076
        case secondFactorRequired = 17078
        case missingMultiFactorSession = 17081
        case missingMultiFactorInfo = 17082
        case invalidMultiFactorSession = 17083
        case multiFactorInfoNotFound = 17084
        case adminRestrictedOperation = 17085
        case unverifiedEmail = 17086
        case secondFactorAlreadyEnrolled = 17087
        case maximumSecondFactorCountExceeded = 17088
        case unsupportedFirstFactor = 17089
        case emailChangeNeedsVerification = 17090
        case missingClientIdentifier = 17093
        case missingOrInvalidNonce = 17094
        case blockingCloudFunctionError = 17105
        case recaptchaNotEnabled = 17200
        case missingRecaptchaToken = 17201
        case invalidRecaptchaToken = 17202
        case invalidRecaptchaAction = 17203
        case missingClientType = 17204
        case missingRecaptchaVersion = 17205
        case invalidRecaptchaVersion = 17206
        case invalidReqType = 17207
        case recaptchaSDKNotLinked = 17208
        case recaptchaSiteKeyMissing = 17209
        case recaptchaActionCreationFailed = 17210
        case passwordDoesNotMeetRequirements = 17211
        case invalidHostingLinkDomain = 17214
        case keychainError = 17995
        case internalError = 17999
        case malformedJWT = 18000
        case keyringLocked = 19001
        case keyringUnavailable = 19002
        case recordDamaged = 19003
        case recordVersionUnsupported = 19004
        case accessGroupNotDeclared = 19005
        case invalidAccessGroup = 19006
        case invalidAppIdentifier = 19007
        case timedOut = 19008
        case outcomeUnknown = 19009
        case conflict = 19010
        case promptDismissed = 19011
        case accessDenied = 19012
        case alreadyConfigured = 19013
        case stateDirectoryUnusable = 19014
        case accessGroupOccupied = 19015
        case storeFull = 19016
        case keyringChanged = 19017
        case issuerMismatch = 19018
        case appDeleted = 19019
        case sessionNotRevoked = 19020
        case fileLocksUnavailable = 19021
        case keptOnFleet = 19022
    }
}
