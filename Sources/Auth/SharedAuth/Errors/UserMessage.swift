internal import DesktopSupport

extension AuthError {
    /// The error in plain words, for the person who uses the app, in the language of the process.
    ///
    /// It says what happened and what the person can do, and depends on ``code`` alone. ``message`` and ``remedy`` are for
    /// the app's developer: show this text, and log those. An error that is the developer's to solve has a general text.
    ///
    /// Translations are gettext's, of the domain `sharedauth`. As in all programs, a language is in effect once the program
    /// has called `setlocale`, as GTK and Qt do.
    public var userMessage: String { Translation.of(code.userMessage) }
}

extension AuthErrorCode {
    /// Returns the translated text for an error with this code; the general one if no code has the number.
    package static func userMessage(ofNumber number: Int) -> String {
        Translation.of((AuthErrorCode(rawValue: number) ?? .internalError).userMessage)
    }

    /// The untranslated text. Each is one literal on one line, from which the catalogs' template is made.
    var userMessage: String {
        switch self {
        case .invalidCredential, .rejectedCredential, .missingOrInvalidNonce:
            "The sign-in was not accepted. Try again."
        case .wrongPassword: "The password is wrong."
        case .userNotFound: "There is no account with this e-mail address."
        case .invalidEmail, .missingEmail, .invalidRecipientEmail: "This is not a valid e-mail address."
        case .emailAlreadyInUse: "There is an account with this e-mail address already. Sign in to it."
        case .accountExistsWithDifferentCredential:
            "You have signed in with this e-mail address in another way before. Sign in that way."
        case .credentialAlreadyInUse: "This sign-in belongs to another account already."
        case .providerAlreadyLinked: "Your account has this kind of sign-in already."
        case .noSuchProvider: "Your account does not have this kind of sign-in."
        case .weakPassword: "The password is too short. Choose a longer one."
        case .passwordDoesNotMeetRequirements: "The password does not meet the requirements. Choose another one."
        case .userDisabled: "Your account is disabled. Ask whoever manages it."
        case .operationNotAllowed, .adminRestrictedOperation: "The sign-in service does not offer this."
        case .tooManyRequests, .quotaExceeded: "There were too many attempts. Wait a while, then try again."
        case .requiresRecentLogin, .invalidUserToken, .userTokenExpired: "Your sign-in has expired. Sign in again."
        case .userMismatch: "This is another account than the one that is signed in."
        case .tenantIDMismatch: "This account belongs to another organization."
        case .issuerMismatch: "This account belongs to another sign-in service."
        case .networkError, .webNetworkRequestFailed:
            "The sign-in service cannot be reached. Check your Internet connection, then try again."
        case .webInternalError, .blockingCloudFunctionError: "The sign-in service refused the sign-in."
        case .nullUser: "You are not signed in."
        case .webContextCancelled: "The sign-in was cancelled."
        case .webContextAlreadyPresented: "A sign-in has begun already. Finish it in the browser."
        case .webSignInUserInteractionFailure: "The sign-in in the browser was not finished. Try again."
        case .expiredActionCode, .invalidActionCode: "This link has expired or was used already. Request a new one."
        case .missingVerificationCode, .invalidVerificationCode: "The code is wrong. Check it, then try again."
        case .sessionExpired: "The code has expired. Request a new one."
        case .secondFactorRequired: "This account needs a second step to sign in."
        case .secondFactorAlreadyEnrolled: "This second step is set up already."
        case .maximumSecondFactorCountExceeded: "Your account cannot have any more second steps. Remove one first."
        case .unverifiedEmail: "Confirm your e-mail address first: follow the link in the e-mail that you received."
        case .emailChangeNeedsVerification: "Follow the link in the e-mail to your new address first."
        case .keyringLocked: "The keyring is locked. Unlock it, then try again."
        case .keyringUnavailable: "Your sign-in cannot be stored, because no keyring is running."
        case .promptDismissed: "The keyring's question was not answered, or could not be shown. Try again."
        case .accessDenied: "The keyring does not let this app read your sign-in."
        case .keyringChanged: "The keyring was replaced. Sign in again."
        case .recordDamaged: "Your stored sign-in is damaged. Sign in again."
        case .recordVersionUnsupported: "A newer app has stored your sign-in. Update this app."
        case .timedOut: "This took too long. Try again."
        case .outcomeUnknown: "It is not known whether this worked. Look, and try again if it did not."
        case .conflict: "Another app has made a change at the same time. Try again."
        case .accessGroupOccupied: "Another account is signed in to your other apps already."
        case .storeFull: "There is no room to store your sign-in. Make some room, then try again."
        case .stateDirectoryUnusable, .fileLocksUnavailable:
            "The app cannot store its settings. Check the folder of your files."
        case .sessionNotRevoked: "You are signed out on this computer. The sign-in service could not be told."
        case .keptOnFleet: "This sign-in is kept on a server that this app cannot use."
        default: "Something is wrong with this app. Its log says more."
        }
    }
}
