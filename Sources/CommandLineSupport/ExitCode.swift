package import ArgumentParser
package import SharedAuth

extension ExitCode {
    /// The status, out of `sysexits.h`, with which the tool ends because of an error.
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
                .blockingCloudFunctionError, .passwordDoesNotMeetRequirements, .rejectedCredential, .unverifiedEmail:
                .refused
            default: .software
            }
    }

    /// What programs call the status of a failure that has no name of its own.
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

    /// `EX_USAGE`: the call is wrong or not in UTF-8, or names a malformed group or app id.
    package static let usage = ExitCode(64)
    /// `EX_DATAERR`: a record is damaged, or of a newer version.
    package static let data = ExitCode(65)
    /// `EX_NOUSER`: there is no user where one is needed, or no such account.
    package static let noUser = ExitCode(67)
    /// `EX_UNAVAILABLE`: there is no session bus, no keyring daemon or no default collection, or a file system has no locks.
    package static let unavailable = ExitCode(69)
    /// `EX_SOFTWARE`: anything else.
    package static let software = ExitCode(70)
    /// `EX_OSERR`: the system does not give the tool what it needs to start.
    package static let systemError = ExitCode(71)
    /// `EX_IOERR`: the answer could not be written.
    package static let outputFailed = ExitCode(74)
    /// `EX_TEMPFAIL`: the keyring is locked, or did not answer in time.
    package static let tryAgain = ExitCode(75)
    /// `EX_NOPERM`: refused, or another issuer's account.
    package static let refused = ExitCode(77)
}
