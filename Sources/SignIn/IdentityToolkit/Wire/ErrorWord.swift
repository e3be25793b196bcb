internal import SharedAuth

/// One of Firebase's error codes, with the `AuthErrorCode` and the message for it. The `AuthErrorCode` is that of
/// Firebase on iOS.
struct ErrorWord: Sendable {
    let word: String
    let sentence: String
    let remedy: String?
    private let code: AuthErrorCode

    private init(_ word: String, _ code: AuthErrorCode, _ sentence: String, remedy: String? = nil) {
        self.word = word
        self.code = code
        self.sentence = sentence
        self.remedy = remedy
    }

    /// Returns the code. A missing password is a wrong one at a sign-in, and a weak one where a password is set.
    func code(for operation: AccountOperation) -> AuthErrorCode {
        word == "MISSING_PASSWORD" && operation.path != AccountOperation.signInWithPassword.path ? .weakPassword : code
    }

    /// All entries, keyed by Firebase's error code.
    static let all = Dictionary(
        (credentials + accounts + passwords + mails + phones + factors + project).map { ($0.word, $0) }
    ) { first, _ in first }

    private static let credentials = [
        ErrorWord("INVALID_CUSTOM_TOKEN", .invalidCustomToken, "The custom token is malformed or expired."),
        ErrorWord("CREDENTIAL_MISMATCH", .customTokenMismatch, "The custom token belongs to another project."),
        ErrorWord("INVALID_LOGIN_CREDENTIALS", .invalidCredential, "The address or the password is wrong."),
        ErrorWord(
            "INVALID_IDP_RESPONSE",
            .invalidCredential,
            "Firebase does not accept the credential of the other service.",
            remedy: "Sign in there again. If its token has another client ID, allow it in the Firebase console."
        ),
        ErrorWord("USER_CANCELLED", .webContextCancelled, "The sign-in at the other service was declined."),
        ErrorWord("INVALID_PENDING_TOKEN", .invalidCredential, "The credential is too old.", remedy: "Sign in again."),
        ErrorWord("REJECTED_CREDENTIAL", .rejectedCredential, "The credential is refused."),
        ErrorWord("INVALID_PROVIDER_ID", .invalidProviderID, "The sign-in method does not exist."),
        ErrorWord("MISSING_OR_INVALID_NONCE", .missingOrInvalidNonce, "The nonce of the ID token is missing or wrong."),
        ErrorWord(
            "FEDERATED_USER_ID_ALREADY_LINKED",
            .credentialAlreadyInUse,
            "The credential belongs to another account.",
            remedy: "Sign in with the credential of the error's details to use that account."
        ),
        ErrorWord(
            "INVALID_ID_TOKEN",
            .invalidUserToken,
            "Firebase does not accept the session's ID token.",
            remedy: "Sign in again."
        ),
        ErrorWord(
            "INVALID_REFRESH_TOKEN",
            .invalidUserToken,
            "Firebase does not accept the session's refresh token.",
            remedy: "Sign in again."
        ),
        ErrorWord("TOKEN_EXPIRED", .userTokenExpired, "The session was ended.", remedy: "Sign in again."),
        ErrorWord(
            "CREDENTIAL_TOO_OLD_LOGIN_AGAIN",
            .requiresRecentLogin,
            "This needs a recent sign-in.",
            remedy: "Call reauthenticate(with:), then try again."
        ),
    ]

    private static let accounts = [
        ErrorWord("USER_DISABLED", .userDisabled, "The account was disabled."),
        ErrorWord("USER_NOT_FOUND", .userNotFound, "There is no such account."),
        ErrorWord("EMAIL_NOT_FOUND", .userNotFound, "No account has this address."),
        ErrorWord("EMAIL_EXISTS", .emailAlreadyInUse, "Another account has this address."),
        ErrorWord("INVALID_EMAIL", .invalidEmail, "The address is malformed."),
        ErrorWord("INVALID_IDENTIFIER", .invalidEmail, "The address is malformed."),
        ErrorWord("MISSING_EMAIL", .missingEmail, "An address is needed."),
        ErrorWord("UNVERIFIED_EMAIL", .unverifiedEmail, "The address has to be verified first."),
        ErrorWord(
            "EMAIL_CHANGE_NEEDS_VERIFICATION",
            .emailChangeNeedsVerification,
            "The new address has to be verified first.",
            remedy: "Use sendEmailVerification(beforeUpdatingEmail:)."
        ),
    ]

    private static let passwords = [
        ErrorWord("INVALID_PASSWORD", .wrongPassword, "The password is wrong."),
        ErrorWord("MISSING_PASSWORD", .wrongPassword, "A password is needed."),
        ErrorWord("WEAK_PASSWORD", .weakPassword, "The password is too weak."),
        ErrorWord(
            "PASSWORD_DOES_NOT_MEET_REQUIREMENTS",
            .passwordDoesNotMeetRequirements,
            "The password does not meet the project's policy."
        ),
        ErrorWord(
            "TOO_MANY_ATTEMPTS_TRY_LATER",
            .tooManyRequests,
            "There were too many attempts.",
            remedy: "Try again later."
        ),
        ErrorWord(
            "RESET_PASSWORD_EXCEED_LIMIT",
            .tooManyRequests,
            "Too many e-mails were sent.",
            remedy: "Try again later."
        ),
    ]

    private static let mails = [
        ErrorWord("EXPIRED_OOB_CODE", .expiredActionCode, "The e-mail's link has expired.", remedy: "Send another."),
        ErrorWord(
            "INVALID_OOB_CODE",
            .invalidActionCode,
            "The e-mail's link is wrong or was already used.",
            remedy: "Send another."
        ),
        ErrorWord(
            "INVALID_MESSAGE_PAYLOAD",
            .invalidMessagePayload,
            "The project's e-mail template is malformed."
        ),
        ErrorWord("INVALID_SENDER", .invalidSender, "The project's e-mail sender is malformed."),
        ErrorWord("INVALID_RECIPIENT_EMAIL", .invalidRecipientEmail, "The recipient's address is malformed."),
        ErrorWord("MISSING_IOS_BUNDLE_ID", .missingIosBundleID, "The e-mail settings lack a bundle ID."),
        ErrorWord(
            "MISSING_ANDROID_PACKAGE_NAME",
            .missingAndroidPackageName,
            "The e-mail settings lack a package name."
        ),
        ErrorWord(
            "UNAUTHORIZED_DOMAIN",
            .unauthorizedDomain,
            "The project does not allow the domain of the link's continue URL.",
            remedy: "Add it to the authorized domains in the Firebase console."
        ),
        ErrorWord("INVALID_CONTINUE_URI", .invalidContinueURI, "The link's continue URL is malformed."),
        ErrorWord("MISSING_CONTINUE_URI", .missingContinueURI, "The link needs a page to continue to."),
        ErrorWord(
            "INVALID_HOSTING_LINK_DOMAIN",
            .invalidHostingLinkDomain,
            "The project does not own the link's domain."
        ),
    ]

    private static let phones = [
        ErrorWord("INVALID_PHONE_NUMBER", .invalidPhoneNumber, "The phone number is malformed."),
        ErrorWord("INVALID_CODE", .invalidVerificationCode, "The code is wrong."),
        ErrorWord("INVALID_SESSION_INFO", .invalidVerificationID, "The verification ID is wrong."),
        ErrorWord("MISSING_APP_CREDENTIAL", .missingAppCredential, "The proof of the app's identity is missing."),
        ErrorWord("INVALID_APP_CREDENTIAL", .invalidAppCredential, "The proof of the app's identity is wrong."),
        ErrorWord("SESSION_EXPIRED", .sessionExpired, "The code has expired."),
        ErrorWord("QUOTA_EXCEEDED", .quotaExceeded, "The project's quota is used up.", remedy: "Try again later."),
        ErrorWord("MISSING_IOS_APP_TOKEN", .missingAppToken, "The app's token for notifications is missing."),
        ErrorWord("APP_NOT_VERIFIED", .appNotVerified, "The app's identity cannot be verified."),
        ErrorWord("CAPTCHA_CHECK_FAILED", .captchaCheckFailed, "The reCAPTCHA check failed."),
        ErrorWord("MISSING_CLIENT_IDENTIFIER", .missingClientIdentifier, "The request does not identify the app."),
    ]

    private static let factors = [
        ErrorWord(
            "MISSING_MFA_PENDING_CREDENTIAL",
            .missingMultiFactorSession,
            "The proof of the first factor is missing."
        ),
        ErrorWord(
            "MISSING_MFA_ENROLLMENT_ID",
            .missingMultiFactorInfo,
            "The request does not name a second factor."
        ),
        ErrorWord(
            "INVALID_MFA_PENDING_CREDENTIAL",
            .invalidMultiFactorSession,
            "The proof of the first factor is too old.",
            remedy: "Start the sign-in again."
        ),
        ErrorWord("MFA_ENROLLMENT_NOT_FOUND", .multiFactorInfoNotFound, "The account has no such second factor."),
        ErrorWord("SECOND_FACTOR_EXISTS", .secondFactorAlreadyEnrolled, "The account has this second factor already."),
        ErrorWord(
            "SECOND_FACTOR_LIMIT_EXCEEDED",
            .maximumSecondFactorCountExceeded,
            "The account has the maximum number of second factors."
        ),
        ErrorWord("UNSUPPORTED_FIRST_FACTOR", .unsupportedFirstFactor, "This sign-in method allows no second factor."),
    ]

    private static let noReCAPTCHA = "A project that enforces reCAPTCHA for this cannot be used from Linux."

    private static let project = [
        ErrorWord(
            "OPERATION_NOT_ALLOWED",
            .operationNotAllowed,
            "The project does not allow this.",
            remedy: "Enable the sign-in method in the Firebase console; for a new address, use "
                + "sendEmailVerification(beforeUpdatingEmail:)."
        ),
        ErrorWord("PASSWORD_LOGIN_DISABLED", .operationNotAllowed, "The project does not allow password sign-in."),
        ErrorWord(
            "CONFIGURATION_NOT_FOUND",
            .operationNotAllowed,
            "Firebase Authentication is not enabled for the project.",
            remedy: "Enable it in the Firebase console."
        ),
        ErrorWord(
            "ADMIN_ONLY_OPERATION",
            .adminRestrictedOperation,
            "Only the project's administrators may do this."
        ),
        ErrorWord(
            "PROJECT_NUMBER_MISMATCH",
            .invalidAPIKey,
            "The API key and the session belong to different projects; the session is kept.",
            remedy: "Use the key of the project that the user signed in to."
        ),
        ErrorWord("TENANT_ID_MISMATCH", .tenantIDMismatch, "The account belongs to another tenant."),
        ErrorWord("UNSUPPORTED_TENANT_OPERATION", .unsupportedTenantOperation, "Tenants cannot do this."),
        ErrorWord(
            "BLOCKING_FUNCTION_ERROR_RESPONSE",
            .blockingCloudFunctionError,
            "A blocking function of the project refused this.",
            remedy: "The error's details have the function's message."
        ),
        ErrorWord("RECAPTCHA_NOT_ENABLED", .recaptchaNotEnabled, "The project has no reCAPTCHA Enterprise."),
        ErrorWord(
            "MISSING_RECAPTCHA_TOKEN",
            .missingRecaptchaToken,
            "The project requires reCAPTCHA.",
            remedy: noReCAPTCHA
        ),
        ErrorWord(
            "INVALID_RECAPTCHA_TOKEN",
            .invalidRecaptchaToken,
            "The project requires reCAPTCHA.",
            remedy: noReCAPTCHA
        ),
        ErrorWord(
            "INVALID_RECAPTCHA_ACTION",
            .invalidRecaptchaAction,
            "The project requires reCAPTCHA.",
            remedy: noReCAPTCHA
        ),
        ErrorWord("MISSING_CLIENT_TYPE", .missingClientType, "The project requires reCAPTCHA.", remedy: noReCAPTCHA),
        ErrorWord(
            "MISSING_RECAPTCHA_VERSION",
            .missingRecaptchaVersion,
            "The project requires reCAPTCHA.",
            remedy: noReCAPTCHA
        ),
        ErrorWord(
            "INVALID_RECAPTCHA_VERSION",
            .invalidRecaptchaVersion,
            "The project requires reCAPTCHA.",
            remedy: noReCAPTCHA
        ),
        ErrorWord("INVALID_REQ_TYPE", .invalidReqType, "The kind of request is wrong."),
    ]
}
