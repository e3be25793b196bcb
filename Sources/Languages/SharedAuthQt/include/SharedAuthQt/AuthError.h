#pragma once

#include "Export.h"

#include <QMetaType>
#include <QObject>
#include <QSharedDataPointer>
#include <QString>

namespace SharedAuth {

class AuthErrorData;

/// The error of a call or of a session. In QML, `AuthError` has the codes.
class SHAREDAUTHQT_EXPORT AuthError
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
        /// The call was cancelled.
        Cancelled = 1,
        InvalidCredential = 17004,
        UserDisabled = 17005,
        OperationNotAllowed = 17006,
        EmailAlreadyInUse = 17007,
        InvalidEmail = 17008,
        WrongPassword = 17009,
        TooManyRequests = 17010,
        UserNotFound = 17011,
        AccountExistsWithDifferentCredential = 17012,
        RequiresRecentLogin = 17014,
        ProviderAlreadyLinked = 17015,
        NoSuchProvider = 17016,
        InvalidUserToken = 17017,
        NetworkError = 17020,
        UserTokenExpired = 17021,
        InvalidApiKey = 17023,
        UserMismatch = 17024,
        CredentialAlreadyInUse = 17025,
        WeakPassword = 17026,
        AppNotAuthorized = 17028,
        MissingEmail = 17034,
        UnauthorizedDomain = 17038,
        InvalidContinueUri = 17039,
        MissingContinueUri = 17040,
        QuotaExceeded = 17052,
        WebContextAlreadyPresented = 17057,
        WebContextCancelled = 17058,
        InvalidClientId = 17060,
        WebInternalError = 17062,
        WebSignInUserInteractionFailure = 17063,
        NullUser = 17067,
        InvalidProviderId = 17071,
        TenantIdMismatch = 17072,
        UnsupportedTenantOperation = 17073,
        RejectedCredential = 17075,
        SecondFactorRequired = 17078,
        AdminRestrictedOperation = 17085,
        UnverifiedEmail = 17086,
        EmailChangeNeedsVerification = 17090,
        MissingOrInvalidNonce = 17094,
        BlockingCloudFunctionError = 17105,
        RecaptchaNotEnabled = 17200,
        MissingRecaptchaToken = 17201,
        MissingClientType = 17204,
        MissingRecaptchaVersion = 17205,
        PasswordDoesNotMeetRequirements = 17211,
        KeychainError = 17995,
        InternalError = 17999,
        MalformedJwt = 18000,
        KeyringLocked = 19001,
        KeyringUnavailable = 19002,
        RecordDamaged = 19003,
        RecordVersionUnsupported = 19004,
        AccessGroupNotDeclared = 19005,
        InvalidAccessGroup = 19006,
        InvalidAppIdentifier = 19007,
        TimedOut = 19008,
        OutcomeUnknown = 19009,
        Conflict = 19010,
        PromptDismissed = 19011,
        AccessDenied = 19012,
        AlreadyConfigured = 19013,
        StateDirectoryUnusable = 19014,
        AccessGroupOccupied = 19015,
        StoreFull = 19016,
        KeyringChanged = 19017,
        IssuerMismatch = 19018,
        AppDeleted = 19019,
        SessionNotRevoked = 19020,
        FileLocksUnavailable = 19021,
        KeptOnFleet = 19022,
    };
    Q_ENUM(Code)

    /// No error.
    AuthError();
    AuthError(Code code, const QString &text, const QString &userMessage = {});
    AuthError(const AuthError &other);
    AuthError(AuthError &&other) noexcept;
    AuthError &operator=(const AuthError &other);
    AuthError &operator=(AuthError &&other) noexcept;
    ~AuthError();

    /// The kind of the error; `NoError` if there is none.
    Code code() const;

    /// What failed and what to do, for the app's developer and for logs, without tokens, passwords and e-mail
    /// addresses.
    QString text() const;

    /// What happened and what to do, for the person who uses the app: in plain words, and translated.
    QString userMessage() const;

    /// Whether there is an error.
    explicit operator bool() const;

private:
    /// None if there is no error.
    QSharedDataPointer<AuthErrorData> d;
};

} // namespace SharedAuth
