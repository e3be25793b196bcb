#pragma once

#include "GLib.h"

#include <QMetaType>
#include <QObject>

namespace SharedAuth {

/// The error of a call or of a session. In QML, `AuthError` has the codes.
class AuthError
{
    Q_GADGET
    Q_PROPERTY(Code code READ code CONSTANT)
    Q_PROPERTY(QString text READ text CONSTANT)
    Q_PROPERTY(QString userMessage READ userMessage CONSTANT)

public:
    /// The kinds of errors; `SharedAuthError` of the GObject library documents those that are not described here.
    enum Code {
        /// No error.
        NoError = 0,
        /// The call was cancelled and changed nothing.
        Cancelled = 1,
        InvalidCredential = SHARED_AUTH_ERROR_INVALID_CREDENTIAL,
        UserDisabled = SHARED_AUTH_ERROR_USER_DISABLED,
        OperationNotAllowed = SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED,
        EmailAlreadyInUse = SHARED_AUTH_ERROR_EMAIL_ALREADY_IN_USE,
        InvalidEmail = SHARED_AUTH_ERROR_INVALID_EMAIL,
        WrongPassword = SHARED_AUTH_ERROR_WRONG_PASSWORD,
        TooManyRequests = SHARED_AUTH_ERROR_TOO_MANY_REQUESTS,
        UserNotFound = SHARED_AUTH_ERROR_USER_NOT_FOUND,
        AccountExistsWithDifferentCredential = SHARED_AUTH_ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL,
        RequiresRecentLogin = SHARED_AUTH_ERROR_REQUIRES_RECENT_LOGIN,
        ProviderAlreadyLinked = SHARED_AUTH_ERROR_PROVIDER_ALREADY_LINKED,
        NoSuchProvider = SHARED_AUTH_ERROR_NO_SUCH_PROVIDER,
        InvalidUserToken = SHARED_AUTH_ERROR_INVALID_USER_TOKEN,
        NetworkError = SHARED_AUTH_ERROR_NETWORK_ERROR,
        UserTokenExpired = SHARED_AUTH_ERROR_USER_TOKEN_EXPIRED,
        InvalidApiKey = SHARED_AUTH_ERROR_INVALID_API_KEY,
        UserMismatch = SHARED_AUTH_ERROR_USER_MISMATCH,
        CredentialAlreadyInUse = SHARED_AUTH_ERROR_CREDENTIAL_ALREADY_IN_USE,
        WeakPassword = SHARED_AUTH_ERROR_WEAK_PASSWORD,
        AppNotAuthorized = SHARED_AUTH_ERROR_APP_NOT_AUTHORIZED,
        MissingEmail = SHARED_AUTH_ERROR_MISSING_EMAIL,
        UnauthorizedDomain = SHARED_AUTH_ERROR_UNAUTHORIZED_DOMAIN,
        InvalidContinueUri = SHARED_AUTH_ERROR_INVALID_CONTINUE_URI,
        MissingContinueUri = SHARED_AUTH_ERROR_MISSING_CONTINUE_URI,
        QuotaExceeded = SHARED_AUTH_ERROR_QUOTA_EXCEEDED,
        WebContextAlreadyPresented = SHARED_AUTH_ERROR_WEB_CONTEXT_ALREADY_PRESENTED,
        WebContextCancelled = SHARED_AUTH_ERROR_WEB_CONTEXT_CANCELLED,
        InvalidClientId = SHARED_AUTH_ERROR_INVALID_CLIENT_ID,
        WebInternalError = SHARED_AUTH_ERROR_WEB_INTERNAL_ERROR,
        WebSignInUserInteractionFailure = SHARED_AUTH_ERROR_WEB_SIGN_IN_USER_INTERACTION_FAILURE,
        NullUser = SHARED_AUTH_ERROR_NULL_USER,
        InvalidProviderId = SHARED_AUTH_ERROR_INVALID_PROVIDER_ID,
        TenantIdMismatch = SHARED_AUTH_ERROR_TENANT_ID_MISMATCH,
        UnsupportedTenantOperation = SHARED_AUTH_ERROR_UNSUPPORTED_TENANT_OPERATION,
        RejectedCredential = SHARED_AUTH_ERROR_REJECTED_CREDENTIAL,
        SecondFactorRequired = SHARED_AUTH_ERROR_SECOND_FACTOR_REQUIRED,
        AdminRestrictedOperation = SHARED_AUTH_ERROR_ADMIN_RESTRICTED_OPERATION,
        UnverifiedEmail = SHARED_AUTH_ERROR_UNVERIFIED_EMAIL,
        EmailChangeNeedsVerification = SHARED_AUTH_ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION,
        MissingOrInvalidNonce = SHARED_AUTH_ERROR_MISSING_OR_INVALID_NONCE,
        BlockingCloudFunctionError = SHARED_AUTH_ERROR_BLOCKING_CLOUD_FUNCTION_ERROR,
        RecaptchaNotEnabled = SHARED_AUTH_ERROR_RECAPTCHA_NOT_ENABLED,
        MissingRecaptchaToken = SHARED_AUTH_ERROR_MISSING_RECAPTCHA_TOKEN,
        MissingClientType = SHARED_AUTH_ERROR_MISSING_CLIENT_TYPE,
        MissingRecaptchaVersion = SHARED_AUTH_ERROR_MISSING_RECAPTCHA_VERSION,
        PasswordDoesNotMeetRequirements = SHARED_AUTH_ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS,
        KeychainError = SHARED_AUTH_ERROR_KEYCHAIN_ERROR,
        InternalError = SHARED_AUTH_ERROR_INTERNAL_ERROR,
        MalformedJwt = SHARED_AUTH_ERROR_MALFORMED_JWT,
        KeyringLocked = SHARED_AUTH_ERROR_KEYRING_LOCKED,
        KeyringUnavailable = SHARED_AUTH_ERROR_KEYRING_UNAVAILABLE,
        RecordDamaged = SHARED_AUTH_ERROR_RECORD_DAMAGED,
        RecordVersionUnsupported = SHARED_AUTH_ERROR_RECORD_VERSION_UNSUPPORTED,
        AccessGroupNotDeclared = SHARED_AUTH_ERROR_ACCESS_GROUP_NOT_DECLARED,
        InvalidAccessGroup = SHARED_AUTH_ERROR_INVALID_ACCESS_GROUP,
        InvalidAppIdentifier = SHARED_AUTH_ERROR_INVALID_APP_IDENTIFIER,
        TimedOut = SHARED_AUTH_ERROR_TIMED_OUT,
        OutcomeUnknown = SHARED_AUTH_ERROR_OUTCOME_UNKNOWN,
        Conflict = SHARED_AUTH_ERROR_CONFLICT,
        PromptDismissed = SHARED_AUTH_ERROR_PROMPT_DISMISSED,
        AccessDenied = SHARED_AUTH_ERROR_ACCESS_DENIED,
        AlreadyConfigured = SHARED_AUTH_ERROR_ALREADY_CONFIGURED,
        StateDirectoryUnusable = SHARED_AUTH_ERROR_STATE_DIRECTORY_UNUSABLE,
        AccessGroupOccupied = SHARED_AUTH_ERROR_ACCESS_GROUP_OCCUPIED,
        StoreFull = SHARED_AUTH_ERROR_STORE_FULL,
        KeyringChanged = SHARED_AUTH_ERROR_KEYRING_CHANGED,
        IssuerMismatch = SHARED_AUTH_ERROR_ISSUER_MISMATCH,
        AppDeleted = SHARED_AUTH_ERROR_APP_DELETED,
        SessionNotRevoked = SHARED_AUTH_ERROR_SESSION_NOT_REVOKED,
        FileLocksUnavailable = SHARED_AUTH_ERROR_FILE_LOCKS_UNAVAILABLE,
        KeptOnFleet = SHARED_AUTH_ERROR_KEPT_ON_FLEET,
    };
    Q_ENUM(Code)

    AuthError() = default;
    AuthError(Code code, const QString &text, const QString &userMessage = {})
        : m_code(code), m_text(text), m_userMessage(userMessage)
    {
    }

    /// Copies a `GError` and frees it; NULL becomes no error.
    static AuthError taking(GError *error)
    {
        if (!error)
            return {};
        Code code = InternalError;
        if (error->domain == SHARED_AUTH_ERROR)
            code = static_cast<Code>(error->code);
        else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
            code = Cancelled;
        const AuthError taken(code, QString::fromUtf8(error->message),
                              QString::fromUtf8(shared_auth_error_get_user_message(error)));
        g_error_free(error);
        return taken;
    }

    /// The kind of the error; `NoError` if there is none.
    Code code() const { return m_code; }

    /// What failed and what to do, for the app's developer and for logs, without tokens, passwords and e-mail addresses.
    QString text() const { return m_text; }

    /// What happened and what to do, for the person who uses the app: in plain words, and translated.
    QString userMessage() const { return m_userMessage.isEmpty() ? m_text : m_userMessage; }

    /// Whether there is an error.
    explicit operator bool() const { return m_code != NoError; }

private:
    Code m_code = NoError;
    QString m_text;
    QString m_userMessage;
};

} // namespace SharedAuth
