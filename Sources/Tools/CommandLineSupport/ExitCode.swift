package import ArgumentParser
package import SharedAuth

extension ExitCode {
    /// Creates the status from `sysexits.h` for an error.
    package init(_ code: AuthErrorCode) {
        self =
            switch code {
            case .invalidAccessGroup, .invalidAppIdentifier, .invalidEmail: .usage
            case .recordDamaged, .recordVersionUnsupported, .malformedJWT: .data
            case .nullUser, .userNotFound: .noUser
            case .keyringUnavailable, .networkError, .keyringChanged, .webInternalError, .sessionNotRevoked,
                .webSignInUserInteractionFailure, .fileLocksUnavailable:
                .unavailable
            case .keyringLocked, .timedOut, .outcomeUnknown, .conflict, .quotaExceeded, .tooManyRequests: .tryAgain
            case .accessGroupNotDeclared, .wrongPassword, .promptDismissed, .accessDenied, .accessGroupOccupied,
                .emailAlreadyInUse, .weakPassword, .invalidCredential, .invalidCustomToken, .userDisabled,
                .operationNotAllowed, .tenantIDMismatch, .userMismatch, .issuerMismatch, .userTokenExpired,
                .invalidUserToken, .invalidAPIKey, .invalidClientID, .webContextCancelled, .requiresRecentLogin,
                .missingOrInvalidNonce, .appNotAuthorized, .customTokenMismatch, .credentialAlreadyInUse,
                .providerAlreadyLinked, .accountExistsWithDifferentCredential, .expiredActionCode, .invalidActionCode,
                .secondFactorRequired, .invalidVerificationCode, .invalidMultiFactorSession, .adminRestrictedOperation,
                .blockingCloudFunctionError, .passwordDoesNotMeetRequirements, .rejectedCredential, .unverifiedEmail,
                .keptOnFleet:
                .refused
            default: .software
            }
    }

    /// The name of the status in JSON, for a failure without a name.
    var name: String {
        switch self {
        case .usage: "usage"
        case .data: "dataError"
        case .noUser: "noUser"
        case .unavailable: "unavailable"
        case .systemError: "systemError"
        case .outputFailed: "outputFailed"
        case .tryAgain: "tryAgain"
        case .refused: "refused"
        default: "failure"
        }
    }

    /// `EX_USAGE`: the call is invalid or not UTF-8, or has a malformed group, app id or e-mail address.
    package static let usage = ExitCode(64)
    /// `EX_DATAERR`: a record is damaged, or has a newer version, or an ID token cannot be read.
    package static let data = ExitCode(65)
    /// `EX_NOUSER`: a user is required and no user is signed in, or there is no such account.
    package static let noUser = ExitCode(67)
    /// `EX_UNAVAILABLE`: a session bus, keyring daemon, collection, browser, server or file lock is not available.
    package static let unavailable = ExitCode(69)
    /// `EX_SOFTWARE`: anything else.
    package static let software = ExitCode(70)
    /// `EX_OSERR`: the system does not provide the resources that the tool needs to start.
    package static let systemError = ExitCode(71)
    /// `EX_IOERR`: the output could not be written.
    package static let outputFailed = ExitCode(74)
    /// `EX_TEMPFAIL`: the keyring is locked, a call timed out, its outcome is unknown, another process interfered, or a
    /// quota is used up.
    package static let tryAgain = ExitCode(75)
    /// `EX_NOPERM`: the request was refused, or the account belongs to another issuer.
    package static let refused = ExitCode(77)
}
